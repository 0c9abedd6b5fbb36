/** Reading and profiling CSV files of 50 MB, without a server: against papaparse alone in the same process. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { dressedFile } from './support/dressedFile.ts';
import { type LargeFile, largeFiles } from './support/largeFile.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { median } from './support/quantile.ts';

const readSchema = z.object({
  rows: z.number(),
  bare: z.array(z.number()),
  ours: z.array(z.number()),
  peakMb: z.number(),
});

export const bench: Bench = {
  title: 'Read and profile 50 MB: at most 2 × bare papaparse in the same process, memory at most 6 × the file',
  async run() {
    const header = ['table', 'rows', 'papaparse s', 'profile s', 'ratio', 'least ratio', 'peak MB', 'of the file'];
    printTable(header, [...largeFiles(), dressedFile()].map(measure));
  },
};

function measure({ name, path }: LargeFile): TableCell[] {
  const { rows, bare, ours } = read(path);
  const { peakMb } = read(path, '--alone');
  const megabytes = statSync(path).size / 2 ** 20;
  const [parse, profile] = [median(bare), median(ours)];
  const best = Math.min(...ours) / Math.min(...bare);
  return [name, rows, parse, profile, profile / parse, best, peakMb, peakMb / megabytes];
}

function read(path: string, ...flags: string[]): z.infer<typeof readSchema> {
  const script = join(import.meta.dirname, 'support', 'readInOneProcess.ts');
  return readSchema.parse(JSON.parse(execFileSync(process.execPath, [script, path, ...flags], { encoding: 'utf8' })));
}
