/** Every sample of the API reference is run as it stands, against a live server, on the file that it names. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '../../api/app.ts';
import { describeRoutes } from '../../api/openapi/document.ts';
import { type Sample, samplesOf } from '../../api/pages/samples.ts';
import { SyntheticTables } from '../../packages/client/client.ts';
import { root } from '../support/imports.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';

const execute = promisify(execFile);

/** What the server must hold for a call: an upload, or a job that is done. Others need none. */
const UPLOADED = ['post /detect_family', 'post /estimate', 'post /generate', 'post /compare', 'delete /jobs/{job_id}'];
/** Only a running job is stopped. */
const REFUSED: Readonly<Record<string, RegExp>> = { 'post /jobs/{job_id}/cancel': /job_conflict|409/ };

const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0;

const calls = Object.entries(describeRoutes(ROUTES, '1').paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ title: `${method} ${path}`, method, path, operation })),
);

let server: LiveServer;
let client: SyntheticTables;
let done = '';
/** Uploads of rows that a comparison is made with. */
let [real, heldOut] = ['', ''];

/** Every fourth row: jobs that samples start are stopped only when all samples have run. */
const [header = '', ...lines] = readFileSync(`${root}/examples/penguins.csv`, 'utf8').trimEnd().split('\n');
const FEWER = [header, ...lines.filter((_, row) => row % 4 === 0), ''].join('\n');

const upload = async (): Promise<string> => (await client.upload(FEWER, 'penguins.csv')).job_id;

beforeAll(async () => {
  server = await startServer();
  client = new SyntheticTables({ url: server.url, key: server.key ?? '' });
  done = await upload();
  const fewer = { n_samples: 60, draws: 100, tune: 100, seed: 7 };
  await client.generate({ job_id: done, target_col: 'body_mass_g', categorical_cols: ['species'], ...fewer });
  await client.wait(done);
}, 60_000);

/** Samples of another language erased those that were there. */
beforeEach(async () => {
  [real, heldOut] = [await upload(), await upload()];
});

afterAll(() => server.stop());

interface Ready {
  title: string;
  code: string;
  job: string;
}

/** The samples of a language in the order of the reference, each with a job that it can be run on. */
async function samplesIn(language: Sample['language']): Promise<Ready[]> {
  const ready: Ready[] = [];
  for (const { title, method, path, operation } of calls) {
    const code = samplesOf(method, path, operation).find((one) => one.language === language)?.code ?? '';
    ready.push({ title, code, job: UPLOADED.includes(title) ? await upload() : done });
  }
  return ready;
}

/** What went wrong, by the titles of the samples; jobs that they started are stopped and erased. */
async function faultsOf(samples: readonly Ready[], run: (ready: Ready) => Promise<string>): Promise<string[]> {
  const faults: string[] = [];
  for (const ready of samples) {
    const said = await run(ready);
    const refused = REFUSED[ready.title];
    if (refused === undefined ? said !== '' : !refused.test(said))
      faults.push(`${ready.title}: ${said}\n${ready.code}`);
  }
  for (const { job_id } of (await client.jobs({ limit: 100 })).jobs) if (job_id !== done) await client.erase(job_id);
  return faults;
}

const isText = (value: unknown): value is string => typeof value === 'string';

describe('the samples of the API reference, run as they stand', () => {
  it('do what they say in curl', async () => {
    const run = async ({ code, job }: Ready): Promise<string> => {
      const jobs = { JOB_ID: job, REAL_JOB_ID: real, HOLDOUT_JOB_ID: heldOut };
      const env = { ...process.env, BASE: server.url, KEY: server.key ?? '', ...jobs };
      const ended = await execute('sh', ['-c', code], { cwd: root, env, maxBuffer: 2 ** 26 }).catch((error) => error);
      return ended instanceof Error ? `${ended.message} ${'stdout' in ended ? String(ended.stdout) : ''}` : '';
    };
    expect(await faultsOf(await samplesIn('curl'), run)).toEqual([]);
  });

  it.each([
    ['TypeScript', process.execPath, ['--input-type=module', '-e']],
    ...(hasRequests ? ([['Python', 'python3', ['-c']]] as const) : []),
  ] as const)('do what they say in %s (Python where it has its package requests)', async (language, program, args) => {
    const samples = await samplesIn(language);
    const running = execute(program, [...args, RUN_ALL[language]], { cwd: root, maxBuffer: 2 ** 26 });
    running.child.stdin?.end(JSON.stringify({ base: server.url, key: server.key, real, heldOut, samples }));
    const said: unknown = JSON.parse((await running).stdout);
    const faults = Array.isArray(said) ? said.filter(isText) : [];
    expect(faults).toHaveLength(samples.length);
    expect(await faultsOf(samples, async (ready) => faults[samples.indexOf(ready)] ?? '')).toEqual([]);
  });
});

/** Runs all of them in one process: a list of what went wrong with each, '' where nothing did. */
const RUN_ALL = {
  TypeScript: `
import { text } from 'node:stream/consumers';
const { base, key, real, heldOut, samples } = JSON.parse(await text(process.stdin));
const faults = [];
for (const { code, job } of samples) {
  const given = 'const [base, key, jobId, realJobId, holdoutJobId] = ' + JSON.stringify([base, key, job, real, heldOut]) + ';';
  const check = "if (!answer.ok) throw new Error('status ' + answer.status);";
  const module = [given, code, check].join(String.fromCharCode(10));
  faults.push(await import('data:text/javascript,' + encodeURIComponent(module)).then(() => '', String));
}
console.log(JSON.stringify(faults));
`,
  Python: `
import json, sys
given = json.load(sys.stdin)
faults = []
for sample in given["samples"]:
    try:
        jobs = {"job_id": sample["job"], "real_job_id": given["real"], "holdout_job_id": given["heldOut"]}
        exec(sample["code"], {"base": given["base"], "key": given["key"], **jobs})
        faults.append("")
    except Exception as error:
        faults.append(repr(error))
print(json.dumps(faults))
`,
};
