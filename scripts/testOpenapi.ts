/** `npm run test:openapi`: the running service against its own description, by requests that schemathesis makes of it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../bench/support/cacheFolder.ts';
import { preparePython } from '../bench/support/python.ts';
import { type BenchServer, startServer } from '../bench/support/server.ts';
import { readFilms } from './demo/realTable.ts';

const SCHEMATHESIS = 'schemathesis==4.32.5';

const DOCUMENT = 'openapi.json';

/** Fixed, so that what fails fails again. */
const SEED = 1;

/**
 * A body's job_id that nobody has is answered with 400, and so is a file of another type: no schema can say which ids
 * there are or what a file holds. Everything else that a schema allows has to be taken.
 */
const MAY_REFUSE = ['POST /detect_family', 'POST /estimate', 'POST /generate', 'POST /upload'];
/** And of a job in the path, whether it is there and done, and whether there is a place to run. */
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

/** A small table, uploaded. */
async function upload({ client }: BenchServer): Promise<string> {
  return (await client.upload(readFilms().split('\n').slice(0, 200).join('\n'), 'films.csv')).job_id;
}

/** A job that is done, so that results are asked for as well as refused. */
async function makeJob(server: BenchServer): Promise<string> {
  const jobId = await upload(server);
  const report = await server.client.columns(jobId);
  const [target = '', ...others] = report.columns.filter((name) => report.col_types[name] === 'continuous');
  const settings = { draws: 100, tune: 100, n_samples: 50, seed: SEED };
  await server.client.generate({ job_id: jobId, target_col: target, continuous_cols: others.slice(0, 2), ...settings });
  await server.client.wait(jobId);
  return jobId;
}

/**
 * The service's description as the tool can read it: it turns `prefixItems` into a form of `items` that the dialect of
 * OpenAPI 3.1 no longer has, and then complains of it. Any of a tuple's types may stand in any of its places here.
 */
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

/** True where no check failed. `args`: the test's own, behind those of every run. */
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
