/** `npm run test:openapi`, by schemathesis. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../bench/support/cacheFolder.ts';
import { preparePython } from '../bench/support/python.ts';
import { type BenchServer, startServer } from '../bench/support/server.ts';
import { readFilms } from './demo/realTable.ts';

const SCHEMATHESIS = 'schemathesis==4.32.5';

const DOCUMENT = 'openapi.json';

/** Reproduces failures. */
const SEED = 1;

/**
 * Unknown job ids and other file types give 400, which no schema can express. All other valid input must be accepted.
 */
const MAY_REFUSE = ['POST /detect_family', 'POST /estimate', 'POST /generate', 'POST /upload'];
/** Also depends on the job and on free slots. */
const OF_JOB = ['POST /sample/{job_id}', 'POST /jobs/{job_id}/repeat'];
const STATUSES = ['2xx', '400', '409', '422'];

const mayRefuse = (operation: string, statuses = STATUSES): string => `
[[operations]]
include-name = "${operation}"
checks.positive_data_acceptance.expected-statuses = ${JSON.stringify(statuses)}
`;

const withJob = (jobId: string, jobToErase: string): string => `
[parameters]
"path.job_id" = "${jobId}"

[[operations]]
include-name = "DELETE /jobs/{job_id}"
parameters = { "path.job_id" = "${jobToErase}" }
`;

async function upload({ client }: BenchServer): Promise<string> {
  return (await client.upload(readFilms().split('\n').slice(0, 200).join('\n'), 'films.csv')).job_id;
}

async function makeJob(server: BenchServer): Promise<string> {
  const jobId = await upload(server);
  const report = await server.client.columns(jobId);
  const [target = '', ...others] = report.columns.filter((name) => report.col_types[name] === 'continuous');
  const settings = { draws: 100, tune: 100, n_samples: 50, seed: SEED };
  await server.client.generate({ job_id: jobId, target_col: target, continuous_cols: others.slice(0, 2), ...settings });
  await server.client.wait(jobId);
  return jobId;
}

/** schemathesis turns `prefixItems` into an `items` form that OpenAPI 3.1 lacks, so tuples are loosened. */
async function describe({ url, key }: BenchServer, path: string): Promise<void> {
  const reply = await fetch(`${url}/docs`, { headers: { 'X-API-Key': key } });
  if (!reply.ok) throw new Error(`GET /docs answered ${reply.status}`);
  const document: unknown = JSON.parse(await reply.text(), (_, value: unknown) => withoutTuples(value));
  writeFileSync(path, JSON.stringify(document));
}

function withoutTuples(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('prefixItems' in value)) return value;
  const { prefixItems, ...rest } = value;
  return { ...rest, items: { anyOf: prefixItems } };
}

function check(server: BenchServer, folder: string, config: string, args: readonly string[]): boolean {
  const tool = join(dirname(preparePython('schemathesis', [SCHEMATHESIS])), 'schemathesis');
  const configFile = join(folder, 'schemathesis.toml');
  writeFileSync(configFile, config);
  const common = ['--header', `X-API-Key: ${server.key}`, '--checks', 'all', '--seed', String(SEED), '--no-color'];
  const run = [
    '--config-file',
    configFile,
    'run',
    DOCUMENT,
    '--url',
    server.url,
    ...common,
    '--continue-on-failure',
    ...args,
  ];
  const result = spawnSync(tool, run, { cwd: folder, stdio: 'inherit' });
  if (result.error) throw result.error;
  return result.status === 0;
}

const folder = mkdtempSync(join(cacheFolder(), 'openapi-'));
const server = await startServer();
try {
  await describe(server, join(folder, DOCUMENT));
  const args = ['--max-examples', '20', '--suppress-health-check', 'all', ...process.argv.slice(2)];
  const base = [
    ...MAY_REFUSE.map((name) => mayRefuse(name)),
    ...OF_JOB.map((name) => mayRefuse(name, [...STATUSES, '404', '429'])),
  ].join('');
  const all = check(server, folder, base, args);
  const ids = `${withJob(await makeJob(server), await upload(server))}${base}`;
  const ofJob = check(server, folder, ids, [...args, '--include-path-regex', 'job_id', '--phases', 'coverage,fuzzing']);
  process.exitCode = all && ofJob ? 0 : 1;
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
