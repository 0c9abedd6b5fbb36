/** Reading and profiling CSV files of 50 MB, without a server: against papaparse alone in the same process. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { decoratedFile } from './support/decoratedFile.ts';
import { type LargeFile, largeFiles } from './support/largeFile.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { median } from './support/quantile.ts';

const HEADER = 'table,rows,papaparse s,profile s,ratio,papaparse cpu,profile cpu,ratio,peak MB,of the file'.split(',');

const secondsSchema = z.object({ clock: z.number(), cpu: z.number() });

const readSchema = z.object({
  rows: z.number(),
  bare: z.array(secondsSchema),
  ours: z.array(secondsSchema),
  peakMb: z.number(),
});

export const bench: Bench = {
  title: 'Read and profile 50 MB: at most 2 × bare papaparse in the same process, memory at most 6 × the file',
  async run() {
    printTable(HEADER, [...largeFiles(), decoratedFile()].map(measure));
    console.log(`\ncpu: of the processor, all threads together, which other processes disturb less; ${loadLine()}`);
  },
};

function measure({ name, path }: LargeFile): TableCell[] {
  const { rows, bare, ours } = read(path);
  const { peakMb } = read(path, '--alone');
  const megabytes = statSync(path).size / 2 ** 20;
  const of = (each: typeof bare, by: 'clock' | 'cpu') => median(each.map((seconds) => seconds[by]));
  const times = (['clock', 'cpu'] as const).flatMap((by) => {
    const [parse, profile] = [of(bare, by), of(ours, by)];
    return [parse, profile, profile / parse];
  });
  return [name, rows, ...times, peakMb, peakMb / megabytes];
}

function read(path: string, ...flags: string[]): z.infer<typeof readSchema> {
  const script = join(import.meta.dirname, 'support', 'readInOneProcess.ts');
  return readSchema.parse(JSON.parse(execFileSync(process.execPath, [script, path, ...flags], { encoding: 'utf8' })));
}
