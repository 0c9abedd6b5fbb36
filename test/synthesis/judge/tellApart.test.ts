import { describe, expect, it } from 'vitest';
import { meanWithError } from '../../../packages/numerics/moments.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { aucOf, MAX_SAMPLES, tellApart } from '../../../packages/synthesis/judge/fidelity/tellApart.ts';
import { stratifiedAuc } from '../../../packages/synthesis/judge/intervals.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { drawTable, levels, numbers, tableOf } from './tables.ts';

const COLUMNS = { numeric: ['price', 'width', 'height'], categorical: ['place', 'kind'], text: [] };
const TASK = { columns: COLUMNS, samples: MAX_SAMPLES, explain: false };

const apart = async (real: ModelTable, other: ModelTable, seed: number, explain = false) =>
  (await tellApart({ ...TASK, real, other, explain, random: createStream(seed, 'tellApart.test') }))!;

describe('a classifier between two tables', () => {
  it('has 0.5 on average for samples of one population, and says how far it is off by chance', async () => {
    const values: number[] = [];
    let covered = 0;
    for (let seed = 0; seed < 40; seed++) {
      const random = createStream(seed, 'tellApart.test/fresh');
      const found = await apart(drawTable(60, random.child('real')), drawTable(180, random.child('other')), seed);
      expect([found.rows, found.samples]).toEqual([60, 3]);
      const { value, interval } = aucOf([found])!;
      values.push(value);
      if (interval[0] <= 0.5 && interval[1] >= 0.5) covered++;
    }
    const { mean, error } = meanWithError(values);
    expect(Math.abs(mean - 0.5)).toBeLessThan(3 * error);
    // 38 of 40 are expected; fewer than 34 have a probability of 1 %.
    expect(covered).toBeGreaterThanOrEqual(34);
  });

  it('does not fall below 0.5 for a copy of rows that the real ones are independent of', async () => {
    const random = createStream(3, 'tellApart.test/copies');
    const [held, train] = [drawTable(150, random.child('held')), drawTable(150, random.child('train'))];
    expect(aucOf([await apart(held, train, 1)])!.interval[1]).toBeGreaterThan(0.5);
    expect(aucOf([await apart(train, train, 1)])!.value).toBeLessThan(0.35);
  });

  it('finds a dependence that is lost, and the columns that have it', async () => {
    const random = createStream(4, 'tellApart.test/lost');
    const pair = (rows: number, { isLost }: { isLost: boolean }) => {
      const x = Array.from({ length: rows }, () => random.normal());
      const y = x.map((own) => (isLost ? random.normal() : Math.abs(own) + 0.2 * random.normal()));
      const noise = x.map(() => random.normal());
      return tableOf(numbers('x', ...x), numbers('y', ...y), numbers('noise', ...noise));
    };
    const columns = { numeric: ['x', 'y', 'noise'], categorical: [], text: [] };
    const task = {
      ...TASK,
      real: pair(300, { isLost: false }),
      other: pair(900, { isLost: true }),
      columns,
      explain: true,
      random,
    };
    const found = (await tellApart(task))!;
    expect(aucOf([found])!.interval[0]).toBeGreaterThan(0.7);
    const losses = found.losses;
    expect(losses.get('noise')!).toBeLessThan(0.03);
    expect(Math.min(losses.get('x')!, losses.get('y')!)).toBeGreaterThan(0.1);
  });

  it('takes no more samples than asked for', async () => {
    const random = createStream(6, 'tellApart.test/samples');
    const task = { ...TASK, real: drawTable(20, random), other: drawTable(90, random), random };
    expect((await tellApart(task))!.samples).toBe(4);
    const one = (await tellApart({ ...task, samples: 1 }))!;
    expect(one.samples).toBe(1);
    expect(one.folds.reduce((sum, { other }) => sum + other.length, 0)).toBe(20);
  });

  it('needs ten rows of either table, and a column', async () => {
    const random = createStream(5, 'tellApart.test/few');
    const [few, many] = [drawTable(9, random), drawTable(50, random)];
    const task = { ...TASK, random };
    expect(await tellApart({ ...task, real: few, other: many })).toBeUndefined();
    expect(await tellApart({ ...task, real: many, other: few })).toBeUndefined();
    const none = tableOf(levels('place', 'a', 'b'));
    const columns = { numeric: [], categorical: [], text: [] };
    expect(await tellApart({ ...task, columns, real: none, other: none })).toBeUndefined();
  });
});

describe('the AUC of folds', () => {
  it('sets no score against one of another fold, and is wider than if folds were independent', () => {
    const fold = (shift: number) =>
      [Float64Array.of(2 + shift, 3 + shift), Float64Array.of(1 + shift, 0 + shift)] as const;
    expect(stratifiedAuc([fold(0), fold(10)], 2)!.value).toBe(1);
    const mixed = [
      [Float64Array.of(1, 3, 5, 7), Float64Array.of(2, 4, 6, 8)],
      [Float64Array.of(2, 4, 6, 8), Float64Array.of(1, 3, 5, 7)],
    ] as const;
    const width = (folds: number): number => {
      const { interval } = stratifiedAuc(mixed, folds)!;
      return interval[1] - interval[0];
    };
    expect(stratifiedAuc(mixed, 2)!.value).toBe(0.5);
    expect(width(2) / width(1)).toBeCloseTo(Math.sqrt(1.5), 12);
    expect(stratifiedAuc([], 5)).toBeUndefined();
  });
});
