/**
 * POST /estimate beside the jobs themselves: expected seconds and memory of the shared tables with the standard settings, and
 * what a job of 3,000 rows took, one table after the other. `BENCH_TABLES` may name tables, with commas.
 */
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './support/bench.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { type BenchServer, startServer } from './support/server.ts';
import { readRoles, sharedData } from './support/sharedTables.ts';

const TABLES = [
  ...['penguins', 'titanic', 'k401k', 'california_housing', 'ohlsson_motorcycle', 'diamonds', 'adult', 'nmes1988'],
  ...['coffee_reviews', 'wine_reviews_au', 'oslo_airbnb', 'airline_tweets'],
];
const SEED = 1;

export const bench: Bench = {
  title: 'What POST /estimate says of a job and what the job takes: within a factor of 2',
  async run() {
    if (sharedData === undefined) throw new Error('it needs the shared tables, and there is no ../shared beside it.');
    console.log(loadLine());
    const rows: TableCell[][] = [];
    for (const name of process.env.BENCH_TABLES?.split(',') ?? TABLES) rows.push(await measure(sharedData, name));
    printTable(['table', 'estimated s', 'job s', 'ratio', 'estimated MB'], rows);
    console.log(loadLine());
  },
};

/** A server of its own for each, so that no table's job finds caches of another's. */
async function measure(data: string, name: string): Promise<TableCell[]> {
  const server = await startServer();
  try {
    return await estimateAndRun(server, data, name);
  } finally {
    await server.stop();
  }
}

async function estimateAndRun({ client }: BenchServer, data: string, name: string): Promise<TableCell[]> {
  const { target, continuous, categorical, text } = readRoles(data, name);
  const { job_id } = await client.upload(await openAsBlob(join(data, `${name}.csv`)), `${name}.csv`);
  const request = {
    ...{ job_id, seed: SEED, ...(target === null ? {} : { target_col: target }) },
    ...{ continuous_cols: continuous, categorical_cols: categorical, text_cols: text },
  };
  const { seconds, memory_mb } = await client.estimate(request);
  const start = performance.now();
  await client.generate(request);
  await client.wait(job_id);
  const taken = (performance.now() - start) / 1000;
  return [name, seconds.expected, taken, taken / seconds.expected, memory_mb];
}
