import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { bayesianRegression } from '../../../../packages/synthesis/models/target/bayesianRegression.ts';
import { correlation, numeric, silent, tableOf } from '../tables.ts';
import { fitOne, times } from './fitOne.ts';

const random = createStream(4, 'target density');
const ROWS = 3_000;

describe('a target that the regression cannot say', () => {
  const x = times(ROWS, () => 4 * random.uniform());
  const w = times(ROWS, random.normal);
  /** Two branches, of which no mean says anything: they part as x rises. */
  const y = times(ROWS, (i) => (random.uniform() < 0.5 ? 1 : -1) * x[i]! + 0.2 * random.normal());
  const given = [numeric('x', x), numeric('w', w)];

  test('is calibrated to a density, keeps both branches, and says so', async () => {
    const { fitted, sample } = await fitOne('gaussian', y, given);
    const drawn = await sample();
    const near = drawn.filter((own, i) => Math.abs(Math.abs(own) - x[i]!) < 0.6).length / ROWS;
    // Of a Gaussian around 0 with the right spread, half would be as near.
    expect(near).toBeGreaterThan(0.9);
    expect(fitted.diagnostics().notes).toEqual([expect.stringContaining('calibrated to a boosted density')]);
    const task = { rows: ROWS, made: tableOf(...given), random: createStream(7, 'sample'), onProgress: silent };
    const restored = bayesianRegression.restore(JSON.parse(JSON.stringify(fitted.save())));
    expect(await restored.sample(task)).toEqual(await fitted.sample({ ...task, random: createStream(7, 'sample') }));
  });

  test('stays as the regression has it where draws are to be left as they are', async () => {
    const { fitted } = await fitOne('gaussian', y, given, { calibrate: false });
    expect(JSON.stringify(fitted.diagnostics().notes)).not.toContain('boosted density');
  });
});

test('a target that the regression says well has no density', async () => {
  const x = times(ROWS, random.normal);
  const y = times(ROWS, (i) => 3 * x[i]! + random.normal());
  const { fitted, sample } = await fitOne('gaussian', y, [numeric('x', x)]);
  expect(JSON.stringify(fitted.diagnostics().notes)).not.toContain('boosted density');
  // True: 3 / √10; of 3,000 rows it has a standard error of .002.
  expect(correlation(await sample(), Float64Array.from(x))).toBeCloseTo(0.9487, 1);
});
