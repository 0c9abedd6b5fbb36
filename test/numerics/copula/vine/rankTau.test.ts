import { describe, expect, it } from 'vitest';
import { kendallTau } from '../../../../packages/numerics/copula/kendallTau.ts';
import { countInversions, rankTau } from '../../../../packages/numerics/copula/vine/growVine.ts';
import { Observed } from '../../../../packages/numerics/copula/vine/observed.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';

const random = createStream(1, 'rankTau');
const continuous = (n: number) => Float64Array.from({ length: n }, () => random.uniform());
const coarse = (n: number, levels: number) => Float64Array.from({ length: n }, () => random.integer(levels) / levels);
const observed = (values: Float64Array) => new Observed(values, null);

describe('τ by ranks', () => {
  it.each([
    ['without ties', continuous(200), continuous(200)],
    ['with ties in one', coarse(200, 4), continuous(200)],
    ['with ties in the other', continuous(200), coarse(200, 3)],
    ['with ties in both', coarse(201, 5), coarse(201, 3)],
    ['of two rows', continuous(2), continuous(2)],
  ])('is that of the plain count %s', (_, a, b) => {
    expect(rankTau(observed(a), observed(b), a.length)).toBeCloseTo(kendallTau(a, b), 12);
    expect(rankTau(observed(a), observed(a), a.length)).toBe(1);
  });

  it('leaves out rows with a missing cell, and those past the rows asked for', () => {
    const [a, b] = [continuous(100), coarse(100, 6)];
    a[3] = Number.NaN;
    b[17] = Number.NaN;
    const kept = [...a.keys()].filter((i) => i < 60 && i !== 3 && i !== 17);
    const pick = (x: Float64Array) => Float64Array.from(kept, (i) => x[i]!);
    expect(rankTau(observed(a), observed(b), 60)).toBeCloseTo(kendallTau(pick(a), pick(b)), 12);
  });

  it('is 0 where a column is constant', () => {
    expect(rankTau(observed(new Float64Array(9).fill(0.5)), observed(continuous(9)), 9)).toBe(0);
  });

  it('counts inversions past 2^32', () => {
    const n = 100_000;
    expect(countInversions(Int32Array.from({ length: n }, (_, i) => n - i))).toBe((n * (n - 1)) / 2);
  });
});
