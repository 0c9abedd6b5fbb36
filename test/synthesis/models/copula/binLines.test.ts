import { describe, expect, test } from 'vitest';
import { mean } from '../../../../packages/numerics/moments.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { firstAtLeast } from '../../../../packages/numerics/search.ts';
import { normalCdf } from '../../../../packages/numerics/special/normal.ts';
import {
  binLinesSchema,
  fitBinLines,
  levelPlace,
  liftPlace,
} from '../../../../packages/synthesis/models/copula/binLines.ts';
import { scoreOf } from '../../../../packages/synthesis/models/copula/normalScores.ts';
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

  test('are ridge regressions of places on scores: 20 rows of no dependence beside those of the bin', () => {
    const bin = 1;
    const own = [...rows].filter((row) => task.bins[row] === bin);
    const centred = (values: number[]) => values.map((value) => value - mean(values));
    const z = centred(own.map((row) => scoreOf(placeIn(near[row]!, bin))));
    const [a, b] = [x, other].map((values) => centred(own.map((row) => values[row]!))) as [number[], number[]];
    const ridge = (20 * (sumOf(a, a) + sumOf(b, b))) / (2 * own.length);
    // One weight after the other, given the other one, until both stay.
    let [wa, wb] = [0, 0];
    for (let step = 0; step < 50; step++) {
      wa = (sumOf(a, z) - wb * sumOf(a, b)) / (sumOf(a, a) + ridge);
      wb = (sumOf(b, z) - wa * sumOf(a, b)) / (sumOf(b, b) + ridge);
    }
    expect(lines.weights[2 * bin]).toBeCloseTo(wa, 8);
    expect(lines.weights[2 * bin + 1]).toBeCloseTo(wb, 8);
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
    expect(binLinesSchema.parse(JSON.parse(JSON.stringify(binLinesSchema.encode(lines))))).toEqual(lines);
  });
});

const sumOf = (a: readonly number[], b: readonly number[]) => a.reduce((sum, own, i) => sum + own * b[i]!, 0);
