import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { finish } from '../../../../packages/numerics/steps.ts';
import { fitMargins, numberAt } from '../../../../packages/synthesis/disclosure/margin.ts';
import { seenColumn } from '../../../../packages/synthesis/models/categorical/features.ts';
import {
  type ColumnDensity,
  columnDensitySchema,
  densityDraw,
  uInBins,
} from '../../../../packages/synthesis/models/copula/columnDensity.ts';
import { bayesianRegression } from '../../../../packages/synthesis/models/regression/bayesianRegression.ts';
import { fitTrialDensity } from '../../../../packages/synthesis/models/regression/targetDensity.ts';
import { correlation, fitTask, numeric, silent, tableOf } from '../tables.ts';
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

describe('a target that its mean nearly says', () => {
  const rows = 6_000;
  const [a, b] = [0, 1].map(() => times(rows, () => 4 * random.uniform())) as [number[], number[]];
  const truth = (i: number): number => 10 * Math.floor(a[i]!) * Math.floor(b[i]!) + 10 * (a[i]! + b[i]!);
  const table = tableOf(numeric('a', a), numeric('b', b));
  const densityOf = (noise: number) => {
    const values = Float64Array.from(times(rows, (i) => truth(i) + noise * random.normal()));
    const { whole } = fitMargins(values, 5);
    const seen = ['a', 'b'].map((name) => seenColumn(table, name)!);
    const task = fitTask(table, ['y'], ['a', 'b']);
    return fitTrialDensity(task, { name: 'y', rows: Int32Array.from(values.keys()), values, whole, seen }).then(
      (trial) => ({ whole, ...trial! }),
    );
  };
  const draw = (density: ColumnDensity) => {
    const own = createStream(5, 'ranks');
    const ranks = Float64Array.from({ length: rows }, () => own.uniform());
    return finish(uInBins(densityDraw(density, ranks, table, new Map())));
  };

  test('is drawn by what the mean leaves, and less far off than by bins of its own', async () => {
    const { whole, density, drawn } = await densityOf(1);
    expect(drawn.left).not.toBeNull();
    const off = (own: ColumnDensity): number =>
      [...draw(own)].map((u, i) => Math.abs(numberAt(whole, u) - truth(i))).sort((p, q) => p - q)[rows / 2]!;
    // Real rows are off by .67 in the middle, and by chance the mean is off as well.
    expect(off(drawn)).toBeLessThan(0.75 * off(density));
    const restored = columnDensitySchema.parse(JSON.parse(JSON.stringify(columnDensitySchema.encode(drawn))));
    expect(draw(restored)).toEqual(draw(drawn));
  });

  test('is drawn by bins of its own where much is left', async () => {
    const { density, drawn } = await densityOf(40);
    expect(drawn).toBe(density);
    expect(drawn.left).toBeNull();
  });
});
