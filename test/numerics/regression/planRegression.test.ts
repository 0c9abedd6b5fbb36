import { expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { planRegression } from '../../../packages/numerics/regression/planRegression.ts';

const ROWS = 2_000;

/** A cost that is above 0 in `events` of the rows, and columns of many levels. */
async function zeroColumns(events: number): Promise<number> {
  const random = createStream(3, 'plan');
  const y = Float64Array.from({ length: ROWS }, (_, row) => (row < events ? 1 + random.uniform() : 0));
  const category = (name: string) => ({
    ...{ kind: 'category' as const, name, levels: Array.from({ length: 30 }, (_, code) => `${name}${code}`) },
    codes: Int32Array.from({ length: ROWS }, () => random.integer(30)),
  });
  const columns = ['a', 'b', 'c'].map(category);
  const { designs } = await planRegression('hurdle_lognormal', y, columns, random, async () => {});
  return designs.at(-1)!.columns.length;
}

it('gives an atom a column for ten events at most, and no fewer than ten columns', async () => {
  expect(await zeroColumns(1_000)).toBeGreaterThan(60);
  expect(await zeroColumns(300)).toBeLessThanOrEqual(30);
  expect(await zeroColumns(40)).toBeLessThanOrEqual(10);
});
