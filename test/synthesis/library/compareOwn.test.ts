/** What this product makes of ten thousand rows is called good by the judge of any table, beside rows that it never saw. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { sharedFile } from '../../../bench/support/sharedTables.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { shuffledRows } from '../../../packages/numerics/random/draws.ts';
import { compare, synthesize } from '../../../packages/synthesis/index.ts';
import { describeShared } from '../../support/shared.ts';

const ROWS = 10_000;

describeShared('a table of ours, beside the real one', (dir) => {
  it('is good by every attack, with small upper bounds of the excess', async () => {
    const { path, fields } = sharedFile(join(dir, 'data'), 'adult');
    const { text_cols: _, ...roles } = fields;
    const all = Papa.parse<Record<string, string>>(readFileSync(path, 'utf8'), { header: true, skipEmptyLines: true });
    const order = shuffledRows(all.data.length, createStream(1, 'order'));
    const part = (at: number) => [...order.slice(at * ROWS, (at + 1) * ROWS)].map((row) => all.data[row]!);
    const made = await synthesize(part(0), { ...roles, draws: 100, tune: 100, n_samples: ROWS }, { seed: 3 });
    const found = await compare(part(0), await made.rows.all(), roles, { holdout: part(1), seed: 1 });
    expect(found.verdicts.find(({ area }) => area === 'privacy')).toMatchObject({ grade: 'good' });
    const { singling_out_excess, linkability_excess, attribute_excess } = found.metrics.privacy!;
    for (const { upper } of [singling_out_excess, linkability_excess, attribute_excess]) {
      expect(upper).toBeLessThan(0.02);
    }
  }, 600_000);
});
