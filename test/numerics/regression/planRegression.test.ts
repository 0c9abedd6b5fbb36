import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { namesOf, type Predictor } from '../../../packages/numerics/regression/design/design.ts';
import { planRegression } from '../../../packages/numerics/regression/planRegression.ts';

const ROWS = 2_000;

/** A cost that is above 0 in `events` of the rows, and columns of many levels. */
async function zeroColumns(events: number): Promise<number> {
  const random = createStream(3, 'plan');
  const y = Float64Array.from({ length: ROWS }, (_, row) => (row < events ? 1 + random.uniform() : 0));
  const category = (name: string) => ({
    kind: 'category' as const,
    name,
    levels: Array.from({ length: 30 }, (_, code) => `${name}${code}`),
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

const cells = (of: (row: number) => number) => Float64Array.from({ length: ROWS }, (_, row) => of(row));
const cost = cells((row) => (row % 8 === 0 ? 1 + (row % 13) : 0));
const noise = { kind: 'numeric' as const, name: 'noise', values: cells((row) => Math.sin(row)) };
const claims = {
  kind: 'numeric' as const,
  name: 'claims',
  values: cells((row) => (row % 8 === 0 ? 1 + (row % 2) : 0)),
};
const kind = { kind: 'category' as const, name: 'kind', levels: ['none', 'one', 'more'] };
const codes = Int32Array.from(claims.values);

async function columnsOfZero(columns: Predictor[]): Promise<string[]> {
  const random = createStream(3, 'separation');
  const { designs } = await planRegression('hurdle_lognormal', cost, columns, random, async () => {});
  return namesOf(designs.at(-1)!);
}

describe('an atom that one predictor separates', () => {
  it('is explained by a number that tells it by a threshold, and by nothing else', async () => {
    expect((await columnsOfZero([noise, claims])).join()).toMatch(/^intercept(,claims[^,]*)+$/);
  });

  it('is explained by a category that tells it by its levels', async () => {
    expect((await columnsOfZero([noise, { ...kind, codes }])).join()).toMatch(/^intercept(,kind[^,]*)+$/);
  });

  it('is explained by all of them where one row is otherwise, or a cell is missing', async () => {
    for (const odd of [1, Number.NaN]) {
      const values = claims.values.with(1, odd);
      expect((await columnsOfZero([noise, { ...claims, values }])).join()).toContain('noise');
    }
  });

  it('is not separated by levels of a row each', async () => {
    const own = { ...kind, levels: Array.from(cost, (_, row) => `${row}`), codes: Int32Array.from(cost.keys()) };
    expect((await columnsOfZero([noise, own])).join()).toContain('noise');
  });
});
