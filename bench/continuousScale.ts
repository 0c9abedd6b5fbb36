/** The whole model of continuous columns, margins to tails, by rows and columns: time, memory, and how soon it would stop. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute } from './support/python.ts';

/** Rows, numbers, categories. */
const SHAPES: readonly (readonly [number, number, number])[] = [
  [10_000, 10, 5],
  [100_000, 20, 5],
  [5_000, 200, 10],
  [2_000, 1_000, 10],
  [400_000, 60, 10],
];
const MADE = 100_000;

const figuresSchema = z.object({
  fitSeconds: z.number(),
  seconds: z.number(),
  cpu: z.number(),
  megabytes: z.number(),
  savedMegabytes: z.number(),
  fitSilence: z.number(),
  sampleSilence: z.number(),
});

export const bench: Bench = {
  title: 'Continuous columns, 400,000 × 60: fitted and 100,000 rows made in under 10 minutes on 2 cores and under 4 GB',
  async run() {
    console.log(loadLine());
    const script = join(import.meta.dirname, 'support', 'continuousOnce.ts');
    const rows = SHAPES.map((shape): TableCell[] => {
      const found = figuresSchema.parse(
        JSON.parse(execute(process.execPath, [script, ...shape.map(String), `${MADE}`])),
      );
      const [n, numbers, categories] = shape;
      const { fitSeconds, seconds, cpu, megabytes, savedMegabytes, fitSilence, sampleSilence } = found;
      const times = [fitSeconds, seconds - fitSeconds, seconds, cpu];
      return [`${n} × ${numbers} + ${categories}`, ...times, megabytes, savedMegabytes, fitSilence, sampleSilence];
    });
    const times = ['s to fit', `s to make ${MADE}`, 's', 'CPU s'];
    const silences = ['longest CPU s without a breath: fit', 'sample'];
    printTable(['rows × numbers + categories', ...times, 'MB at most', 'MB saved', ...silences], rows);
    console.log(loadLine());
  },
};
