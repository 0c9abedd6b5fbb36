import { describe, expect, it } from 'vitest';
import {
  bringTies,
  fitTies,
  saveTies,
  scoreTiesSchema,
  standardScores,
} from '../../../../gpu-job/models/copula/scoreTies.ts';
import { createStream } from '../../../../numerics/random/createStream.ts';
import { normalCdf } from '../../../../numerics/special/normal.ts';

const ROWS = 3000;
const random = createStream(1, 'scores');
const normals = () => Float64Array.from({ length: ROWS }, () => random.normal());
const placesOf = (scores: Float64Array) => scores.map(normalCdf);
const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Pearson's, of places: for normal scores of correlation r it is 6 / π asin(r / 2). */
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
  { name: 'x', places: placesOf(x) },
  { name: 'y', places: placesOf(y) },
];
const scoresOf = (columns: typeof earlier) =>
  new Map(columns.map(({ name, places }) => [name, standardScores(places)]));
const before = scoresOf(earlier);
const real = placesOf(wanted.map((value) => value / Math.sqrt(1.25)));
const made = placesOf(lost.map((value) => value / Math.sqrt(1.04)));
const ties = fitTies(standardScores(real), before);

describe('ties of scores', () => {
  it('bring a column to how it goes with each of those made before', () => {
    const brought = bringTies(made, ties, before);
    for (const { places } of earlier) {
      expect(Math.abs(correlation(made, places) - correlation(real, places))).toBeGreaterThan(0.15);
      // Of the correlations themselves a fiftieth is left to the ridge.
      expect(Math.abs(correlation(brought, places) - correlation(real, places))).toBeLessThan(0.015);
    }
    // What it has beyond the others stays.
    expect(correlation(brought, made)).toBeGreaterThan(0.9);
  });

  it('move nothing that goes as it should, nor far where two columns say the same', () => {
    const same = bringTies(real, ties, before);
    const moved = same.map((place, row) => Math.abs(place - real[row]!));
    expect(Math.max(...moved)).toBeLessThan(0.02);
    const twice = [...earlier, { name: 'copy', places: earlier[0]!.places.map((place) => Math.min(1, place + 1e-9)) }];
    const both = scoresOf(twice);
    const brought = bringTies(made, fitTies(standardScores(real), both), both);
    expect(correlation(brought, made)).toBeGreaterThan(0.9);
    expect(Math.abs(correlation(brought, earlier[0]!.places) - correlation(real, earlier[0]!.places))).toBeLessThan(
      0.015,
    );
  });

  it('are none where cells are missing or rows are few, and then places stay as they are', () => {
    const gaps = real.map((place, row) => (row % 7 === 0 ? Number.NaN : place));
    expect(fitTies(standardScores(gaps), before).of).toEqual([]);
    expect(fitTies(standardScores(real), scoresOf([{ name: 'x', places: gaps }])).of).toEqual([]);
    expect(fitTies(standardScores(real.slice(0, 100)), before).of).toEqual([]);
    expect(bringTies(gaps, ties, before)).toBe(gaps);
    expect(bringTies(made, ties, new Map([['x', before.get('x')!]]))).toBe(made);
    const few = made.slice(0, 100);
    expect(bringTies(few, ties, before)).toBe(few);
  });

  it('are those with the columns that it goes with most, and the same after they were saved', () => {
    const many = Array.from({ length: 20 }, (_, k) => ({ name: `z${k}`, places: placesOf(normals()) }));
    const own = fitTies(standardScores(real), scoresOf([...many, ...earlier]));
    expect(own.of.slice(0, 2)).toEqual(['x', 'y']);
    expect(own.of).toHaveLength(12);
    expect(standardScores(new Float64Array(300).fill(0.4))).toBeNull();
    const restored = scoreTiesSchema.parse(JSON.parse(JSON.stringify(saveTies(ties))));
    expect(bringTies(made, restored, before)).toEqual(bringTies(made, ties, before));
  });
});
