/**
 * POST /estimate beside the jobs themselves: expected CPU seconds, time and memory of the shared tables with the standard
 * settings, and what a job of 3,000 rows took, one table after the other. Ends with 1 where the CPU seconds of a table are off by
 * more than a quarter. `BENCH_TABLES` may name tables, with commas.
 */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { Bench } from './support/bench.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { type BenchServer, startServer } from './support/server.ts';
import { sharedData, sharedFile } from './support/sharedTables.ts';

const TABLES = [
  'penguins',
  'titanic',
  'k401k',
  'california_housing',
  'ohlsson_motorcycle',
  'diamonds',
  'adult',
  'nmes1988',
  'magic',
  'beijing',
  'coffee_reviews',
  'wine_reviews_au',
  'oslo_airbnb',
  'airline_tweets',
  'coffee_reviews_raw_mixed_encoding',
];
const SEED = 1;
const MOST = 0.25;

export const bench: Bench = {
  title: 'What POST /estimate says of a job and what the job takes: CPU seconds within a quarter',
  async run() {
    if (sharedData === undefined) throw new Error('it needs the shared tables, and there is no ../shared beside it.');
    console.log(loadLine());
    const rows: TableCell[][] = [];
    for (const name of process.env.BENCH_TABLES?.split(',') ?? TABLES) {
      const { cells, isOff } = await measure(sharedData, name);
      rows.push([name, ...cells]);
      console.log(rows.at(-1)?.join('  '));
      if (isOff) process.exitCode = 1;
    }
    printTable(['table', 'estimated CPU s', 'CPU s', 'ratio', 'estimated s', 'job s', 'estimated MB'], rows);
    console.log(loadLine());
  },
};

interface Measured {
  cells: TableCell[];
  isOff: boolean;
}

/** A server of its own for each, so that no table's job finds caches of another's. */
async function measure(data: string, name: string): Promise<Measured> {
  const server = await startServer();
  try {
    return await estimateAndRun(server, data, name);
  } finally {
    await server.stop();
  }
}

async function estimateAndRun({ client }: BenchServer, data: string, name: string): Promise<Measured> {
  const { path, encoding, fields } = sharedFile(data, name);
  const { job_id } = await client.upload(await openAsBlob(path), basename(path), { encoding });
  const request = { job_id, seed: SEED, ...fields };
  const { seconds, cpu_seconds, memory_mb } = await client.estimate(request);
  await client.generate(request);
  const { events } = await client.wait(job_id);
  const last = events.at(-1);
  if (last?.fact !== 'finished' || last.cpu_seconds === undefined) throw new Error(`${name} has no CPU seconds`);
  const ratio = cpu_seconds.expected / last.cpu_seconds;
  return {
    cells: [cpu_seconds.expected, last.cpu_seconds, ratio, seconds.expected, last.seconds, memory_mb],
    isOff: Math.abs(ratio - 1) > MOST,
  };
}
