/** Posteriors of long tables: time from nothing to 4 × (1000 + 1000), and the most memory held, beside that of X. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute } from './support/python.ts';

const SIZES = [
  ['gaussian', 1_000_000, 50],
  ['negative_binomial', 100_000, 20],
] as const;

const schema = z.object({
  built: z.number(),
  prepared: z.number(),
  found: z.number(),
  sampled: z.number(),
  ess: z.number(),
  memory: z.number(),
  converged: z.boolean(),
});

export const bench: Bench = {
  title:
    'Large regressions: gaussian 1e6 × 50 within 20 s, negative binomial 1e5 × 20 within 150 s, memory below 3 X (where X is large beside a process)',
  async run() {
    const script = join(import.meta.dirname, 'regression', 'sampleLarge.ts');
    const rows = SIZES.map(([family, n, p]): TableCell[] => {
      const start = performance.now();
      const out = schema.parse(JSON.parse(execute(process.execPath, [script, family, `${n}`, `${p}`])));
      const whole = (performance.now() - start) / 1000;
      const { built, prepared, found, sampled } = out;
      return [family, n, p, built, prepared - built, found - prepared, sampled - found, whole, out.ess, out.memory];
    });
    const parts = ['s to build X', 's to prepare', 's to the mode', 's to sample', 's whole process'];
    printTable(['family', 'n', 'p', ...parts, 'least bulk ESS', 'memory ÷ X'], rows);
  },
};
