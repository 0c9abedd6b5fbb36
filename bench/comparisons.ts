/**
 * POST /compare/estimate beside the comparisons themselves: expected CPU seconds and time of shared tables whose rows are parted
 * at random in a real, a synthetic and a held-out third, or in a real and a synthetic half. Ends with 1 where the CPU seconds of
 * one are off by more than a quarter. `BENCH_TABLES` may name tables, with commas; `BENCH_ROWS` bounds the rows of a part.
 */
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { shuffledRows } from '../packages/numerics/random/draws.ts';
import type { Bench } from './support/bench.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { type BenchServer, startServer } from './support/server.ts';
import { sharedData, sharedFile } from './support/sharedTables.ts';

const TABLES = ['penguins', 'california_housing', 'diamonds', 'adult'];
const SEED = 1;
const MOST = 0.25;

export const bench: Bench = {
  title: 'What POST /compare/estimate says and what the comparison takes: CPU seconds within a quarter',
  async run() {
    if (sharedData === undefined) throw new Error('it needs the shared tables, and there is no ../shared beside it.');
    console.log(loadLine());
    const rows: TableCell[][] = [];
    for (const name of process.env.BENCH_TABLES?.split(',') ?? TABLES) {
      for (const parts of [3, 2]) {
        const { cells, isOff } = await measure(sharedData, name, parts);
        rows.push([name, ...cells]);
        console.log(rows.at(-1)?.join('  '));
        if (isOff) process.exitCode = 1;
      }
    }
    printTable(['table', 'tables', 'rows of each', 'estimated CPU s', 'CPU s', 'ratio', 'job s', 'estimated MB'], rows);
    console.log(loadLine());
  },
};

/** Random parts of a file's rows, each as a file of its own. */
function partsOf(path: string, parts: number): { rows: number; files: Blob[] } {
  const { data } = Papa.parse<string[]>(readFileSync(path, 'utf8'), { skipEmptyLines: true });
  const [header = [], ...cells] = data;
  const order = shuffledRows(cells.length, createStream(SEED, 'order'));
  const rows = Math.min(Math.floor(cells.length / parts), Number(process.env.BENCH_ROWS ?? Number.POSITIVE_INFINITY));
  const files = Array.from({ length: parts }, (_, part) => {
    const own = [...order.slice(part * rows, (part + 1) * rows)].map((row) => cells[row] ?? []);
    return new Blob([Papa.unparse([header, ...own], { newline: '\n' })]);
  });
  return { rows, files };
}

/** A server of its own for each, so that no table's job finds caches of another's. */
async function measure(data: string, name: string, parts: number): Promise<{ cells: TableCell[]; isOff: boolean }> {
  const server = await startServer();
  try {
    return await estimateAndRun(server, data, name, parts);
  } finally {
    await server.stop();
  }
}

async function estimateAndRun({ client }: BenchServer, data: string, name: string, parts: number) {
  const { path, fields } = sharedFile(data, name);
  const { rows, files } = partsOf(path, parts);
  const ids: string[] = [];
  for (const file of files) ids.push((await client.upload(file, `${name}.csv`)).job_id);
  const [real_job_id = '', job_id = '', holdout_job_id = null] = ids;
  const request = { job_id, real_job_id, holdout_job_id, seed: SEED, ...fields };
  const { cpu_seconds, memory_mb } = await client.estimateComparison(request);
  await client.compare(request);
  const { events } = await client.wait(job_id);
  const last = events.at(-1);
  if (last?.fact !== 'finished' || last.cpu_seconds === undefined) throw new Error(`${name} has no CPU seconds`);
  const ratio = cpu_seconds.expected / last.cpu_seconds;
  return {
    cells: [parts, rows, cpu_seconds.expected, last.cpu_seconds, ratio, last.seconds, memory_mb],
    isOff: Math.abs(ratio - 1) > MOST,
  };
}
