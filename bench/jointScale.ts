/** Categories, numbers, labels and target together, by rows: time to fit, rows drawn a second, memory. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute } from './support/python.ts';

const ROWS = [40_000, 200_000, 1_000_000] as const;
const MADE = 400_000;

const figuresSchema = z.object({
  fitSeconds: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  drawSeconds: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  megabytes: z.number(),
});

export const bench: Bench = {
  title:
    'adult, repeated and jittered to 1,000,000 × 15: fitted in under 6 minutes and 3 GB, 100,000 rows a second without target',
  async run() {
    console.log(loadLine());
    const script = join(import.meta.dirname, 'support', 'jointOnce.ts');
    const rows = ROWS.map((count): TableCell[] => {
      const found = figuresSchema.parse(
        JSON.parse(execute(process.execPath, [script, 'adult', `${count}`, `${MADE}`])),
      );
      const { fitSeconds, drawSeconds, megabytes } = found;
      const [categories, numbers, labels, target] = drawSeconds;
      const all = [...fitSeconds, ...drawSeconds].reduce((sum, value) => sum + value, 0);
      const bare = categories + numbers;
      return [`${count}`, ...fitSeconds, all, MADE / bare, MADE / (bare + labels), MADE / target, megabytes];
    });
    const fits = ['s to fit: categories', 'numbers', 'labels', 'target'];
    const rates = ['rows a second: categories, numbers', 'and labels', 'targets a second'];
    printTable(['rows', ...fits, 's in all', ...rates, 'MB at most'], rows);
    console.log(loadLine());
  },
};
