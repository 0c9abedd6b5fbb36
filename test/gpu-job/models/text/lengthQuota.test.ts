import { describe, expect, it } from 'vitest';
import { kolmogorovSmirnov } from '../../../../gpu-job/metrics/kolmogorovSmirnov.ts';
import { learnLengths, lengthJudge } from '../../../../gpu-job/models/text/lengthQuota.ts';
import { createStream } from '../../../../numerics/random/createStream.ts';

const random = createStream(1, 'lengths');
/** Titles that end at 50 characters. */
const real = Array.from({ length: 3000 }, () => Math.min(50, Math.round(34 + 11 * random.normal())));
const textOf = (length: number): string => 'é'.repeat(Math.max(1, length));

/** Lengths of `n` texts, each drawn until it is taken, and how many were drawn. */
function take(n: number, draw: () => number): { lengths: number[]; drawn: number } {
  const judge = lengthJudge(learnLengths(real.map(textOf)));
  let drawn = 0;
  const lengths = Array.from({ length: n }, () => {
    for (let tries = 0; ; tries++) {
      const length = draw();
      drawn++;
      if (judge(textOf(length), tries)) return length;
    }
  });
  return { lengths, drawn };
}

const apart = (lengths: number[]): number => kolmogorovSmirnov(Float64Array.from(real), Float64Array.from(lengths));

describe('lengths of texts', () => {
  it('are learnt as shares of bins, a length that many texts have in a bin of its own', () => {
    const { edges, shares } = learnLengths(real.map(textOf));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(edges.toSorted((a, b) => a - b)).toEqual(edges);
    expect(edges.at(-1)).toBe(50);
    expect(shares.at(-1)).toBeCloseTo(real.filter((length) => length > edges.at(-2)!).length / real.length, 12);
    expect(learnLengths([])).toEqual({ edges: [0], shares: [0] });
  });

  it('come out as in the data where what is written is longer and more spread', () => {
    const draw = (): number => Math.round(36 + 14 * random.normal());
    const free = Array.from({ length: 2000 }, draw);
    expect(apart(free)).toBeGreaterThan(0.12);
    const { lengths, drawn } = take(2000, draw);
    expect(apart(lengths)).toBeLessThan(0.06);
    expect(drawn).toBeLessThan(2 * 2000);
  });

  it('hardly refuse a text where they are as in the data', () => {
    const { drawn } = take(2000, () => real[random.integer(real.length)]!);
    expect(drawn).toBeLessThan(1.15 * 2000);
  });

  it('take in the end what no other length comes for', () => {
    const { lengths, drawn } = take(100, () => 200);
    expect([lengths.length, drawn <= 400]).toEqual([100, true]);
  });
});
