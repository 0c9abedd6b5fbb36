import { execFile, execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKey } from '../../adapters/shared/keys.ts';
import { type Bundle, bundleLambdas } from '../../infra/bundle.ts';
import { FUNCTIONS } from '../../infra/lambdas.ts';
import { makeFolder } from '../support/temporaryFolder.ts';
import { uploadEvent } from './support/event.ts';
import { type FakeAws, startFakeAws } from './support/fakeAws.ts';

const LIMIT_BYTES = 3_000_000;

/** What a deployment tells its functions; no call is made while they are loaded. */
const ENVIRONMENT = {
  AWS_REGION: 'eu-west-1',
  TABLE_NAME: 't',
  BUCKET_NAME: 'b',
  GPU_QUEUE: 'g',
  CPU_QUEUE: 'c',
  GPU_JOB_DEFINITION: 'g',
  CPU_JOB_DEFINITION: 'c',
};

/** Loads every bundle in a process that sees nothing of the project. */
const LOAD = `
const kinds = [];
for (const folder of process.argv.slice(1)) kinds.push(typeof (await import(folder + '/index.mjs')).handler);
process.stdout.write(JSON.stringify(kinds));
process.exit(0);`;

/** Calls a bundle's handler with an event, in a process of its own. */
const CALL = `
const { handler } = await import(process.argv[1] + '/index.mjs');
const answer = await handler(JSON.parse(process.argv[2]));
process.stdout.write('\\n' + JSON.stringify(answer));
process.exit(0);`;

async function call(folder: string, event: unknown, { url }: FakeAws): Promise<{ statusCode: number; body: string }> {
  const args = ['--input-type=module', '--eval', CALL, folder, JSON.stringify(event)];
  const keys = { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...ENVIRONMENT, ...keys },
    cwd: tmpdir(),
  });
  return JSON.parse(stdout.split('\n').at(-1) ?? '');
}

const folder = makeFolder();
let bundles: Bundle[];

beforeAll(async () => {
  bundles = await bundleLambdas(folder.path);
});

afterAll(() => folder.remove());

describe('bundles', () => {
  it('are there for every function, each under 3 MB', () => {
    expect(bundles.map(({ name }) => name)).toEqual([...FUNCTIONS]);
    expect(bundles.filter(({ bytes }) => bytes === 0 || bytes >= LIMIT_BYTES)).toEqual([]);
  });

  it('export a handler, with nothing but themselves and the environment of a deployment', () => {
    const folders = bundles.map(({ folder }) => folder);
    const args = ['--input-type=module', '--eval', LOAD, ...folders];
    const kinds = execFileSync(process.execPath, args, { env: ENVIRONMENT, cwd: tmpdir(), encoding: 'utf8' });
    expect(JSON.parse(kinds)).toEqual(FUNCTIONS.map(() => 'function'));
  });

  it('have what their worker threads run beside them', () => {
    const files = Object.fromEntries(bundles.map(({ name, folder }) => [name, readdirSync(folder).sort()]));
    expect(files.upload).toEqual(['NOTICES.txt', 'index.mjs', 'profileWorker.mjs']);
    expect(files.status).toEqual(['NOTICES.txt', 'index.mjs']);
  });

  it('read an upload by the worker thread that is bundled with the function', async () => {
    const aws = await startFakeAws();
    const { id, key, secretHash } = makeKey();
    const hash = { B: Buffer.from(secretHash).toString('base64') };
    const createdAt = { S: '2026-01-01T00:00:00.000Z' };
    aws.items.set(`KEY#${id}`, {
      pk: { S: `KEY#${id}` },
      name: { S: 'n' },
      createdAt,
      secretHash: hash,
      rights: { S: 'none' },
    });
    const event = await uploadEvent('a,b\n1,2\n3,4\n', key);
    const at = bundles.find(({ name }) => name === 'upload')?.folder ?? '';
    const { statusCode, body } = await call(at, event, aws);
    await aws.close();
    expect([statusCode, JSON.parse(body).data]).toMatchObject([200, { columns: ['a', 'b'], n_rows: 2 }]);
  });
});
