import { describe, expect, it } from 'vitest';
import { kendallTau } from '../../../packages/numerics/copula/kendallTau.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';

/** τ-b from its definition, pair by pair. */
function slowTau(u: Float64Array, v: Float64Array, w: Float64Array): number {
  let [sum, inU, inV] = [0, 0, 0];
  for (let i = 0; i < u.length; i++) {
    for (let j = 0; j < i; j++) {
      const weight = w[i]! * w[j]!;
      const a = Math.sign(u[i]! - u[j]!);
      const b = Math.sign(v[i]! - v[j]!);
      sum += weight * a * b;
      inU += weight * a * a;
      inV += weight * b * b;
    }
  }
  return sum / Math.sqrt(inU * inV);
}

describe("Kendall's τ", () => {
  it.each([1, 2, 3, 17, 64, 301])('agrees with counting pairs, with and without ties and weights, for %i rows', (n) => {
    const random = createStream(7, `tau/${n}`);
    for (const levels of [2, 5, 1e9]) {
      const draw = () => Float64Array.from({ length: n }, () => random.integer(levels));
      const u = draw();
      const v = draw().map((value, i) => (i % 3 === 0 ? u[i]! : value));
      const ones = new Float64Array(n).fill(1);
      const weights = Float64Array.from({ length: n }, () => 0.1 + random.uniform());
      const expected = slowTau(u, v, ones);
      if (Number.isNaN(expected)) expect(kendallTau(u, v)).toBeNaN();
      else {
        expect(kendallTau(u, v)).toBeCloseTo(expected, 12);
        expect(kendallTau(u, v, weights)).toBeCloseTo(slowTau(u, v, weights), 12);
      }
    }
  });

  it('counts more pairs than 32 bits hold: 100,000 rows, all but one in order', () => {
    const n = 100_000;
    const u = Float64Array.from({ length: n }, (_, i) => i);
    const v = u.slice();
    v[0] = n;
    // Of n(n-1)/2 ≈ 5·10⁹ pairs, n - 1 are discordant.
    expect(kendallTau(u, v)).toBeCloseTo(1 - 4 / n, 14);
    expect(kendallTau(u, u)).toBe(1);
    expect(kendallTau(u, u.toReversed())).toBe(-1);
  });

  it('is NaN where it is not defined', () => {
    expect(kendallTau(new Float64Array(5), Float64Array.of(1, 2, 3, 4, 5))).toBeNaN();
    expect(kendallTau(Float64Array.of(1, Number.NaN, 2), Float64Array.of(1, 2, 3))).toBeNaN();
  });

  it('leaves its arguments as they were', () => {
    const u = Float64Array.of(3, 1, 2);
    const v = Float64Array.of(2, 1, 3);
    kendallTau(u, v);
    expect([...u, ...v]).toEqual([3, 1, 2, 2, 1, 3]);
  });
});
