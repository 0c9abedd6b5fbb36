import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { normalCdf } from '../../../../packages/numerics/special/normal.ts';
import {
  fitCorrelations,
  restoreCorrelations,
  scoreCorrelationsSchema,
  standardScores,
} from '../../../../packages/synthesis/models/copula/normalScores.ts';

const ROWS = 3000;
const random = createStream(1, 'scores');
const normals = () => Float64Array.from({ length: ROWS }, () => random.normal());
const uOf = (scores: Float64Array) => scores.map(normalCdf);
const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Pearson's, of u: for normal scores of correlation r it is 6 / π asin(r / 2). */
function correlation(a: Float64Array, b: Float64Array): number {
  const [ma, mb] = [mean(a), mean(b)];
  const products = (x: Float64Array, y: Float64Array, mx: number, my: number) =>
    x.reduce((sum, value, i) => sum + (value - mx) * (y[i]! - my), 0);
  return products(a, b, ma, mb) / Math.sqrt(products(a, a, ma, ma) * products(b, b, mb, mb));
}

const [x, y] = [normals(), normals()];
/** Falls with x, rises with y, and what a model has made of it: of x it knows half, of y nothing. */
const wanted = normals().map((noise, i) => -0.4 * x[i]! + 0.3 * y[i]! + noise);
const lost = normals().map((noise, i) => -0.2 * x[i]! + noise);
const earlier = [
  { name: 'x', u: uOf(x) },
  { name: 'y', u: uOf(y) },
];
const scoresOf = (columns: typeof earlier) => new Map(columns.map(({ name, u }) => [name, standardScores(u)]));
const before = scoresOf(earlier);
const real = uOf(wanted.map((value) => value / Math.sqrt(1.25)));
const made = uOf(lost.map((value) => value / Math.sqrt(1.04)));
const correlations = fitCorrelations(standardScores(real), before);

describe('correlations of scores', () => {
  it('bring a column to how it goes with each of those made before', () => {
    const brought = restoreCorrelations(made, correlations, before);
    for (const { u } of earlier) {
      expect(Math.abs(correlation(made, u) - correlation(real, u))).toBeGreaterThan(0.15);
      // Of the correlations themselves a fiftieth is left to the ridge.
      expect(Math.abs(correlation(brought, u) - correlation(real, u))).toBeLessThan(0.015);
    }
    // What it has beyond the others stays.
    expect(correlation(brought, made)).toBeGreaterThan(0.9);
  });

  it('move nothing that goes as it should, nor far where two columns say the same', () => {
    const same = restoreCorrelations(real, correlations, before);
    const moved = same.map((own, row) => Math.abs(own - real[row]!));
    expect(Math.max(...moved)).toBeLessThan(0.02);
    const twice = [...earlier, { name: 'copy', u: earlier[0]!.u.map((own) => Math.min(1, own + 1e-9)) }];
    const both = scoresOf(twice);
    const brought = restoreCorrelations(made, fitCorrelations(standardScores(real), both), both);
    expect(correlation(brought, made)).toBeGreaterThan(0.9);
    expect(Math.abs(correlation(brought, earlier[0]!.u) - correlation(real, earlier[0]!.u))).toBeLessThan(0.015);
  });

  it('are none where cells are missing or rows are few, and then u stay as they are', () => {
    const holed = real.map((own, row) => (row % 7 === 0 ? Number.NaN : own));
    expect(fitCorrelations(standardScores(holed), before).of).toEqual([]);
    expect(fitCorrelations(standardScores(real), scoresOf([{ name: 'x', u: holed }])).of).toEqual([]);
    expect(fitCorrelations(standardScores(real.slice(0, 100)), before).of).toEqual([]);
    expect(restoreCorrelations(holed, correlations, before)).toBe(holed);
    expect(restoreCorrelations(made, correlations, new Map([['x', before.get('x')!]]))).toBe(made);
    const few = made.slice(0, 100);
    expect(restoreCorrelations(few, correlations, before)).toBe(few);
  });

  it('bring a tail to how it goes with that of another column, which one correlation of all rows does not say', () => {
    const tail = (values: Float64Array) => values.map((value) => Math.max(0, value - 1.75));
    // Real rows follow x far out, where it doubles; what a model has made of them follows it everywhere as much on the whole.
    const noise = normals().map((value) => 0.6 * value);
    const doubled = x.map((value, i) => 0.7 * value + 1.5 * Math.max(0, value - 1.75) + noise[i]!);
    const even = x.map((value, i) => 0.8 * value + noise[i]!);
    const [own, other] = [doubled, even].map((values) => uOf(standardScores(uOf(values.map((v) => v / 1.2)))!));
    const brought = restoreCorrelations(other!, fitCorrelations(standardScores(own!), before), before);
    const withTail = (u: Float64Array) => correlation(tail(x), standardScores(u)!);
    expect(withTail(own!) - withTail(other!)).toBeGreaterThan(0.05);
    expect(Math.abs(withTail(own!) - withTail(brought))).toBeLessThan(0.01);
    expect(Math.abs(correlation(brought, earlier[0]!.u) - correlation(own!, earlier[0]!.u))).toBeLessThan(0.015);
  });

  it('say nothing of tails that few rows fill', () => {
    const half = (u: Float64Array) => u.slice(0, ROWS / 2);
    const few = fitCorrelations(
      standardScores(half(real)),
      scoresOf(earlier.map((one) => ({ ...one, u: half(one.u) }))),
    );
    expect(few.of).toHaveLength(2);
    expect(few.tails.of).toEqual([]);
    expect(correlations.tails.of).toEqual(['x', 'y']);
  });

  it('are those with the columns that it goes with most, and the same after they were saved', () => {
    const many = Array.from({ length: 20 }, (_, k) => ({ name: `z${k}`, u: uOf(normals()) }));
    const own = fitCorrelations(standardScores(real), scoresOf([...many, ...earlier]));
    expect(own.of.slice(0, 2)).toEqual(['x', 'y']);
    expect(own.of).toHaveLength(12);
    expect(standardScores(new Float64Array(300).fill(0.4))).toBeNull();
    const restored = scoreCorrelationsSchema.parse(
      JSON.parse(JSON.stringify(scoreCorrelationsSchema.encode(correlations))),
    );
    expect(restoreCorrelations(made, restored, before)).toEqual(restoreCorrelations(made, correlations, before));
    const { tails: _, ...older } = JSON.parse(JSON.stringify(scoreCorrelationsSchema.encode(correlations)));
    expect(scoreCorrelationsSchema.parse(older)).toMatchObject({ of: ['x', 'y'], tails: { of: [] } });
  });
});
