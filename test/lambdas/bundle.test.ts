import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleLambdas } from '../../infra/bundle.ts';
import { FUNCTIONS } from '../../infra/lambdaNames.ts';

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

let bundles: Bundle[];

beforeAll(async () => {
  bundles = await bundleLambdas(mkdtempSync(join(tmpdir(), 'bundles-')));
});

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
    expect(files.upload).toEqual(['index.mjs', 'profileWorker.mjs']);
    expect(files.status).toEqual(['index.mjs']);
  });
});
