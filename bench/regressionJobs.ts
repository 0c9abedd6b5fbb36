/** Regressions as jobs have them, from columns to draws with the default settings: time, CPU seconds, and memory beside the design's. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute } from './support/python.ts';

/** Family, rows, columns of numbers and of categories; seconds that it may take on two idle cores. */
const JOBS = [
  ['student_t', 17_000, 10, 8, 60],
  ['gamma', 50_000, 10, 8, 150],
  ['negative_binomial', 100_000, 3, 2, 200],
] as const;

const schema = z.object({
  columns: z.number(),
  planned: z.number(),
  seconds: z.number(),
  cpu: z.number(),
  ess: z.number(),
  gradients: z.number(),
  memory: z.number(),
  method: z.string(),
});

export const bench: Bench = {
  title:
    'Regressions of jobs at the default draws: chains, within 60, 150 and 200 s on two cores, memory below 3 × the design (beside idle threads)',
  async run() {
    console.log(loadLine());
    const script = join(import.meta.dirname, 'regression', 'sampleJob.ts');
    const rows = JOBS.map(([family, n, numbers, categories, limit]): TableCell[] => {
      const out = schema.parse(
        JSON.parse(execute(process.execPath, [script, family, `${n}`, `${numbers}`, `${categories}`])),
      );
      return [
        family,
        n,
        out.columns,
        out.method,
        out.planned,
        out.seconds,
        limit,
        out.cpu,
        out.gradients,
        out.ess,
        out.memory,
      ];
    });
    const parts = ['s until chains', 's', 'limit', 'CPU s', 'gradients', 'least bulk ESS', 'memory ÷ design'];
    printTable(['family', 'n', 'columns', 'method', ...parts], rows);
    console.log(loadLine());
  },
};
