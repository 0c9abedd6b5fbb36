/** What a Lambda function does before its first answer: a fresh process that loads the bundle, against an empty handler. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bundle, bundleLambdas } from '../infra/bundle.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { median } from './support/quantile.ts';

const REPEATS = 9;

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

export const bench: Bench = {
  title: 'Cold start: a fresh process that loads each bundle, as a ratio to an empty handler',
  async run() {
    const folder = join(cacheFolder(), 'coldStart');
    const bundles = [emptyHandler(folder), ...(await bundleLambdas(folder))];
    const times = new Map<string, number[]>(bundles.map(({ name }) => [name, []]));
    // In turns, so that what else the machine does falls on all alike.
    for (let i = 0; i < REPEATS; i++) {
      for (const { name, folder: at } of bundles) times.get(name)?.push(await loadMs(at));
    }
    const empty = median(times.get('empty') ?? []);
    const rows = bundles.map(({ name, bytes }): TableCell[] => {
      const ms = median(times.get(name) ?? []);
      return [name, bytes / 1e6, ms, ms - empty, ms / empty];
    });
    printTable(['function', 'MB', 'process ms', 'above empty ms', 'ratio'], rows);
  },
};

function emptyHandler(folder: string): Omit<Bundle, 'name'> & { name: string } {
  const at = join(folder, 'empty');
  mkdirSync(at, { recursive: true });
  const source = 'export const handler = async () => ({ statusCode: 204, body: "" });\n';
  writeFileSync(join(at, 'index.mjs'), source);
  return { name: 'empty', folder: at, bytes: source.length };
}

/** From the start of the process until its handler is there. */
function loadMs(folder: string): Promise<number> {
  const script = `await import(${JSON.stringify(join(folder, 'index.mjs'))}); process.exit(0);`;
  const start = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: ENVIRONMENT,
    stdio: 'ignore',
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0) resolve(performance.now() - start);
      else reject(new Error(`${folder} could not be loaded`));
    });
  });
}
