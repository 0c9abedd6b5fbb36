import { expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { profileUpload } from '../../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../../support/bytes.ts';
import { cellsOf, outcomeOf } from '../../world.ts';
import { csvOf, times } from './cells.ts';

const random = createStream(7, 'extreme numbers');

const ROWS = 200;
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());

test('numbers from 1e-300 to 1e308 go through a whole job, and every figure is there', async () => {
  const z = times(ROWS, normal);
  const csv = csvOf(
    {
      y: (i) => ((z[i]! + normal() / 3) * 3e307).toExponential(4),
      large: (i) => (z[i]! * 1e300).toExponential(5),
      small: (i) => (Math.exp(z[i]!) * 1e-300).toExponential(5),
      any: (i) => `${i % 2 ? '-' : ''}${(10 ** (610 * random.uniform() - 305)).toExponential(3)}`,
    },
    ROWS,
  );
  const profile = await profileUpload(bytesOf(csv), 'table.csv');
  const asked = { target_col: 'y', continuous_cols: ['large', 'small', 'any'], n_samples: 100 };
  const { job, table } = await outcomeOf(csv, asked, profile);
  for (const [name, size] of [
    ['y', 3e307],
    ['large', 1e300],
    ['small', 1e-300],
  ] as const) {
    const made = cellsOf(table, name).map((cell) => Math.abs(Number(cell) / size));
    expect(Math.max(...made)).toBeLessThan(20);
    expect(made.reduce((sum, value) => sum + value, 0) / made.length).toBeGreaterThan(0.2);
  }
  const { metrics } = job;
  const { family: _, ...figures } = metrics!.numeric;
  expect(Object.values(figures).every(Number.isFinite)).toBe(true);
  expect(metrics!.numeric['TSTR R²']).toBeGreaterThan(0.2);
  expect(metrics!.notes.join('\n')).not.toMatch(/NaN|Infinity|No report/);
});
