import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { fitMargins, nearestRange, numberAt } from '../../../../packages/synthesis/disclosure/margin.ts';
import { leafRankVine } from '../../../../packages/synthesis/models/copula/leafRankVine.ts';
import type { FittedModel, ModelTable } from '../../../../packages/synthesis/models/model.ts';
import { correlation, fitTask, numbersOf, numeric, silent, tableOf } from '../tables.ts';

const random = createStream(9, 'near functions');
const n = 4_000;
const draw = (make: (i: number) => number): Float64Array => Float64Array.from({ length: n }, (_, i) => make(i));
const rounded = (value: number, decimals: number): number => Math.round(value * 10 ** decimals) / 10 ** decimals;

const fitted = (table: ModelTable): Promise<FittedModel> => leafRankVine.fit(fitTask(table, [...table.columns.keys()]));
const sampled = (model: FittedModel) =>
  model.sample({
    rows: n,
    made: tableOf(numeric('none', new Float64Array(n))),
    random: createStream(2, 's'),
    onProgress: silent,
    representative: true,
  });

/** By column, what it is a function of. */
function functionsOf(model: FittedModel): Record<string, string[]> {
  const { columns } = diagnosticsSchema.parse(model.diagnostics?.());
  return Object.fromEntries(columns.flatMap((own) => (own.near_function_of ? [[own.name, own.near_function_of]] : [])));
}

const diagnosticsSchema = z.object({
  columns: z.array(z.object({ name: z.string(), near_function_of: z.array(z.string()).optional() })),
});

const sorted = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);
const quantile = (values: Iterable<number>, share: number): number => sorted(values)[Math.floor(share * n)]!;

describe('a column that others nearly determine', () => {
  test('is their product, to the cent', async () => {
    const quantity = draw(() => 1 + random.integer(12));
    const price = draw(() => rounded(Math.exp(2 + random.normal()), 2));
    const total = draw((i) => rounded(quantity[i]! * price[i]!, 2));
    const table = tableOf(numeric('quantity', quantity), numeric('price', price), numeric('total', total));
    const made = await sampled(await fitted(table));
    const [q, p, t] = ['quantity', 'price', 'total'].map((name) => numbersOf(made, name));
    const off = draw((i) => Math.abs(t![i]! - q![i]! * p![i]!));
    expect(quantile(off, 0.5)).toBeLessThan(0.005);
    // A margin leads from a number that several rows have to the next such number at once: there a total is off.
    expect(quantile(off, 0.9)).toBeLessThan(0.02 * quantile(total, 0.5));
  });

  test('is off its function by no more than real rows are', async () => {
    const length = draw(() => rounded(4 + 2 * random.uniform(), 2));
    const width = draw((i) => rounded(length[i]! * (1 + (i % 2 === 0 ? 0.015 : -0.012) + 0.003 * random.normal()), 2));
    const depth = draw(() => rounded(61 + 1.5 * random.normal(), 1));
    const height = draw((i) => rounded((depth[i]! * (length[i]! + width[i]!)) / 200, 2));
    const table = tableOf(
      ...Object.entries({ length, width, depth, height }).map(([name, values]) => numeric(name, values)),
    );
    const model = await fitted(table);
    expect(Object.keys(functionsOf(model)).length).toBeGreaterThanOrEqual(1);
    const off = (of: (name: string) => Float64Array): Float64Array =>
      draw((i) => Math.abs(of('depth')[i]! - (200 * of('height')[i]!) / (of('length')[i]! + of('width')[i]!)));
    const real = off((name) => ({ length, width, depth, height })[name]!);
    const made = await sampled(model);
    const own = off((name) => numbersOf(made, name));
    // Trees and lines in their leaves are off by eight times as much as rounding.
    expect(quantile(own, 0.5)).toBeLessThan(2 * quantile(real, 0.5));
    expect(quantile(own, 0.95)).toBeLessThan(3 * quantile(real, 0.95));
    for (const [name, values] of Object.entries({ length, width, depth, height })) {
      // Two samples of 4,000 differ by a hundredth of a standard deviation or so in each quarter.
      for (const share of [0.1, 0.5, 0.9])
        expect(
          Math.abs(quantile(numbersOf(made, name), share) - quantile(values, share)) /
            (quantile(values, 0.9) - quantile(values, 0.1)),
        ).toBeLessThan(0.04);
    }
  });

  test('keeps the numbers that many rows have: others are functions of it', async () => {
    const weight = draw(() =>
      random.uniform() < 0.4 ? [0.5, 1, 2][random.integer(3)]! : rounded(0.3 + 2 * random.uniform(), 2),
    );
    const girth = draw(() => rounded(3 + 2 * random.uniform(), 3));
    // As stones are cut: height is what makes them of their weight.
    const height = draw((i) => rounded((100 * weight[i]!) / girth[i]! ** 2 + 0.01 * random.normal(), 3));
    const table = tableOf(numeric('girth', girth), numeric('height', height), numeric('weight', weight));
    const model = await fitted(table);
    expect(Object.keys(functionsOf(model))).not.toContain('weight');
    expect(Object.values(functionsOf(model)).flat()).toContain('weight');
    const made = await sampled(model);
    const shareOf = (values: Float64Array): number => values.filter((own) => own === 1).length / n;
    expect(Math.abs(shareOf(numbersOf(made, 'weight')) - shareOf(weight))).toBeLessThan(0.01);
  });

  test('is none where others say much, but not nearly all', async () => {
    const a = draw(random.normal);
    const b = draw((i) => 0.98 * a[i]! + 0.2 * random.normal());
    const model = await fitted(tableOf(numeric('a', a), numeric('b', b)));
    expect(functionsOf(model)).toEqual({});
  });

  test('is drawn alike from a model that was saved', async () => {
    const a = draw(() => 10 + random.normal());
    const b = draw(() => 5 + random.uniform());
    const c = draw((i) => a[i]! * b[i]! + 0.02 * random.normal());
    const table = tableOf(numeric('a', a), numeric('b', b), numeric('c', c));
    const model = await fitted(table);
    expect(Object.keys(functionsOf(model))).toHaveLength(1);
    const again = leafRankVine.restore(JSON.parse(JSON.stringify(model.save())));
    const [first, second] = [await sampled(model), await sampled(again)];
    for (const name of ['a', 'b', 'c']) expect(numbersOf(second, name)).toEqual(numbersOf(first, name));
    const product = draw((i) => numbersOf(first, 'a')[i]! * numbersOf(first, 'b')[i]!);
    expect(correlation(product, numbersOf(first, 'c'))).toBeGreaterThan(0.999);
  });
});

describe('the place of a number in a margin', () => {
  test('is that of the nearest number that the margin has', () => {
    const values = Float64Array.from({ length: 400 }, (_, i) => [1, 1.01, 1.02, 1.2][i % 4]!);
    const { released } = fitMargins(values, 5);
    for (const [value, nearest] of [
      [1.0149, 1.01],
      [1.016, 1.02],
      [1.1, 1.02],
      [1.13, 1.2],
      [0.2, 1],
      [9, 1.2],
    ] as const)
      expect(numberAt(released, nearestRange(released, value).upTo)).toBe(nearest);
  });

  test('is its own on a line', () => {
    const { released } = fitMargins(draw(random.normal), 5);
    for (const value of [-1.1, 0.123, 0.9])
      expect(numberAt(released, nearestRange(released, value).from)).toBeCloseTo(value, 9);
  });
});
