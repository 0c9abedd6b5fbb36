import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { firstAtLeast } from '../../../../packages/numerics/search.ts';
import { normalCdf } from '../../../../packages/numerics/special/normal.ts';
import {
  binLinesSchema,
  fitBinLines,
  levelPlace,
  liftPlace,
  saveBinLines,
} from '../../../../packages/synthesis/models/copula/binLines.ts';
import { correlation } from '../tables.ts';

const random = createStream(5, 'lines');
const N = 4000;
const normals = () => Float64Array.from({ length: N }, () => random.normal());
const ends = Float64Array.of(0.25, 0.5, 0.75, 1);
const [x, other] = [normals(), normals()];
/** All but x itself: within a quarter of the numbers, places still rise with x. */
const near = x.map((value) => normalCdf((value + 0.2 * random.normal()) / Math.sqrt(1.04)));
const rows = Int32Array.from(near.keys());
const alongside = [
  { name: 'x', scores: x },
  { name: 'other', scores: other },
];
const taskOf = (u: Float64Array, upTo = u) => {
  const bins = Int32Array.from(u, (own) => firstAtLeast(ends, own));
  return { ends, bins, from: u, upTo, rows, alongside };
};
const task = taskOf(near);
const lines = fitBinLines(task)!;
const scores = [x, other];
const placeIn = (u: number, bin: number) => (u - (ends[bin - 1] ?? 0)) / 0.25;

describe('lines within bins', () => {
  test.each([0, 1, 2, 3])('leave places of bin %i that are even, and say nothing more of the numbers', (bin) => {
    const own = [...rows].filter((row) => task.bins[row] === bin);
    const raw = Float64Array.from(own, (row) => placeIn(near[row]!, bin));
    const level = Float64Array.from(own, (row, i) => levelPlace(lines, bin, raw[i]!, scores, row));
    const along = Float64Array.from(own, (row) => x[row]!);
    expect(correlation(raw, along)).toBeGreaterThan(0.6);
    // The line is drawn to 0 by 20 of 1,000 rows, and scores of an edge bend.
    expect(Math.abs(correlation(level, along))).toBeLessThan(0.12);
    const sorted = level.slice().sort();
    expect(Math.max(...sorted.map((place, i) => Math.abs(place - i / sorted.length)))).toBeLessThan(0.08);
  });

  test('lead back from a levelled place to the place', () => {
    // Scores end where a place is within 1e-7 of its bin's end.
    for (const row of rows.subarray(0, 200)) {
      const bin = task.bins[row]!;
      const place = placeIn(near[row]!, bin);
      expect(liftPlace(lines, bin, levelPlace(lines, bin, place, scores, row), scores, row)).toBeCloseTo(place, 3);
    }
  });

  test('are the least squares of places on scores, but for the ridge', () => {
    const bin = 1;
    const own = [...rows].filter((row) => task.bins[row] === bin);
    const [w0, w1] = lines.weights.subarray(2 * bin);
    // Five alternating steps of simple regressions: a slow way to the same weights.
    const z = own.map((row) => liftScore(placeIn(near[row]!, bin)));
    let [a, b] = [0, 0];
    for (let step = 0; step < 50; step++) {
      a = slope(
        own.map((row) => x[row]!),
        z.map((value, i) => value - b * other[own[i]!]!),
      );
      b = slope(
        own.map((row) => other[row]!),
        z.map((value, i) => value - a * x[own[i]!]!),
      );
    }
    expect(Math.abs(w0! / a - 1)).toBeLessThan(0.3);
    expect(Math.abs(w1! - b)).toBeLessThan(0.05);
  });

  test('are none where places go with nothing, in a bin of an atom, or of few rows', () => {
    const far = Float64Array.from({ length: N }, () => random.uniform());
    expect(fitBinLines(taskOf(far))).toBeNull();
    expect(fitBinLines({ ...task, alongside: [] })).toBeNull();
    expect(fitBinLines({ ...task, rows: rows.subarray(0, 30) })).toBeNull();
    const isAtom = (u: number) => u > 0.5 && u <= 0.65;
    const [from, upTo] = [near.map((u) => (isAtom(u) ? 0.5 : u)), near.map((u) => (isAtom(u) ? 0.65 : u))];
    const beside = fitBinLines({ ...task, from, upTo })!;
    expect(beside.spreads[2]).toBe(1);
    expect(beside.spreads[1]).toBeLessThan(0.9);
    expect(levelPlace(beside, 2, 0.3, scores, 0)).toBe(0.3);
    expect(levelPlace(null, 1, 0.3, scores, 0)).toBe(0.3);
  });

  test('lie through the middle of a number whose cell is missing', () => {
    const holed = [x.map((value, row) => (row % 3 === 0 ? Number.NaN : value)), other];
    const own = fitBinLines({ ...task, alongside: holed.map((one, k) => ({ name: `${k}`, scores: one })) })!;
    expect(Number.isFinite(levelPlace(own, 1, 0.3, holed, 0))).toBe(true);
    expect(own.weights.every(Number.isFinite)).toBe(true);
  });

  test('are the same after they were saved', () => {
    expect(binLinesSchema.parse(JSON.parse(JSON.stringify(saveBinLines(lines))))).toEqual(lines);
  });
});

const liftScore = (place: number): number => {
  let [low, high] = [-8, 8];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < place) low = middle;
    else high = middle;
  }
  return low;
};

function slope(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa] = [0, 0];
  a.forEach((value, i) => {
    ab += (value - ma) * (b[i]! - mb);
    aa += (value - ma) ** 2;
  });
  return ab / aa;
}
