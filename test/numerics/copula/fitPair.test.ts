import { describe, expect, it } from 'vitest';
import { conditionOnU, conditionOnV, pairLogLikelihood } from '../../../packages/numerics/copula/discrete.ts';
import { fitPair, type PairChoices } from '../../../packages/numerics/copula/fitPair.ts';
import { kendallTau } from '../../../packages/numerics/copula/kendallTau.ts';
import { independence, type PairCopula, type PairData } from '../../../packages/numerics/copula/pairCopula.ts';
import { restorePair } from '../../../packages/numerics/copula/restorePair.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { approximation, expectNear, withinStandardErrors } from '../../support/tolerance.ts';
import { claytonPair, gaussianPair, simulatePair } from './support/referencePairs.ts';

const CHOICES: PairChoices = { tllDegree: 'linear', criterion: 'aic', psi0: 0.9 };
const CRITERIA = ['loglik', 'aic', 'bic', 'mbicv'] as const;
const POINTS = [0.001, 0.02, 0.2, 0.45, 0.7, 0.93, 0.995];

function drawn(pair: PairCopula, n: number, seed = 12): PairData {
  return { ...simulatePair(pair, n, createStream(seed, 'fitPair')), uBelow: null, vBelow: null };
}

/** Rounds a margin up to steps of 1 / levels, as the ranks of a discrete column would be. */
function stepped(u: Float64Array, levels: number): { at: Float64Array; below: Float64Array } {
  const at = u.map((value) => Math.ceil(value * levels) / levels);
  return { at, below: at.map((value) => value - 1 / levels) };
}

describe('the references', () => {
  it.each([
    ['Gaussian', gaussianPair(0.7)],
    ['Clayton', claytonPair(2)],
    ['Clayton turned', claytonPair(2, { turned: true })],
  ])('have the τ that is said, and h of their cdf: %s', (_, pair) => {
    const { u, v } = drawn(pair, 3000);
    // The variance of τ̂ is at most 2 (1 - τ²) / n (Kendall).
    expectNear(kendallTau(u, v), pair.tau(), withinStandardErrors(3.5, Math.sqrt((2 * (1 - pair.tau() ** 2)) / 3000)));
    const step = 1e-4;
    for (const a of [0.2, 0.45, 0.7]) {
      for (const b of [0.2, 0.45, 0.7]) {
        expect((pair.cdf(a + step, b) - pair.cdf(a - step, b)) / (2 * step)).toBeCloseTo(pair.h1(a, b), 3);
        expect((pair.cdf(a, b + step) - pair.cdf(a, b - step)) / (2 * step)).toBeCloseTo(pair.h2(a, b), 3);
        expect((pair.h1(a, b + step) - pair.h1(a, b - step)) / (2 * step)).toBeCloseTo(
          Math.exp(pair.logDensity(a, b)),
          4,
        );
        expect(pair.h1(a, pair.inverseH1(a, b))).toBeCloseTo(b, 10);
        expect(pair.h2(pair.inverseH2(b, a), a)).toBeCloseTo(b, 10);
      }
    }
  });
});

describe.each([
  ['a Gaussian', gaussianPair(0.6)],
  ['a Clayton', claytonPair(1.3)],
  ['a turned Clayton', claytonPair(1.3, { turned: true })],
])('the fit to draws of %s', (_, truth) => {
  const data = drawn(truth, 3000);
  const fit = fitPair(data, CHOICES);

  it('has its τ and its h-functions', () => {
    expect(fit.pair.family).toBe('tll');
    expectNear(fit.pair.tau(), truth.tau(), approximation(0.04));
    let sum = 0;
    for (const u of POINTS) for (const v of POINTS) sum += Math.abs(fit.pair.h1(u, v) - truth.h1(u, v));
    expect(sum / POINTS.length ** 2).toBeLessThan(0.03);
  });

  it('holds for other draws nearly as well as the truth does', () => {
    const fresh = drawn(truth, 3000, 13);
    const [own, best] = [fit.pair, truth].map((pair) => pairLogLikelihood(pair, fresh) / 3000);
    expect(own!).toBeGreaterThan(best! - 0.03);
  });

  it('has the log-likelihood that is said, and so has what is saved and restored', () => {
    expect(fit.logLikelihood).toBe(pairLogLikelihood(fit.pair, data));
    const again = restorePair(JSON.parse(JSON.stringify(fit.pair.save())));
    expect(pairLogLikelihood(again, data)).toBe(fit.logLikelihood);
  });

  it('has an h-function without a floor: it goes on falling where the margin goes to 0', () => {
    const values = [1e-4, 1e-5, 1e-6, 1e-7].map((v) => fit.pair.h1(0.5, v));
    values.slice(1).forEach((value, i) => {
      expect(value).toBeLessThan(0.2 * values[i]!);
      expect(value).toBeGreaterThan(0);
    });
  });
});

describe('discrete margins', () => {
  const truth = gaussianPair(0.7);
  const { u, v } = drawn(truth, 3000);
  const [du, dv] = [stepped(u, 4), stepped(v, 5)];
  const both: PairData = { u: du.at, v: dv.at, uBelow: du.below, vBelow: dv.below };
  const mixed: PairData = { u: du.at, v, uBelow: du.below, vBelow: null };

  it('give probabilities of rectangles that sum to one', () => {
    const cells = Array.from({ length: 20 }, (_, k) => [Math.floor(k / 5), k % 5] as const);
    for (const pair of [independence, fitPair(both, CHOICES).pair, fitPair(mixed, CHOICES).pair]) {
      const sum = cells.reduce((total, [i, j]) => {
        const one = (value: number) => Float64Array.of(value);
        const cell = { u: one((i + 1) / 4), v: one((j + 1) / 5), uBelow: one(i / 4), vBelow: one(j / 5) };
        return total + Math.exp(pairLogLikelihood(pair, cell)) / 20;
      }, 0);
      expectNear(sum, 1, approximation(1e-8));
    }
  });

  it.each([
    ['two', both],
    ['one', mixed],
  ])('do not weaken the fit, as independent jitter does: %s discrete', (_, data) => {
    const fit = fitPair(data, CHOICES);
    const random = createStream(5, 'jitter');
    const jittered = (at: Float64Array, below: Float64Array | null) =>
      at.map((value, i) => (below === null ? value : below[i]! + random.uniform() * (value - below[i]!)));
    const naive = kendallTau(jittered(data.u, data.uBelow), jittered(data.v, data.vBelow));
    expectNear(fit.pair.tau(), truth.tau(), approximation(0.04));
    expect(truth.tau() - naive).toBeGreaterThan(0.05);
  });

  it('condition to uniform pseudo-observations of their own steps', () => {
    const next = conditionOnU(truth, mixed);
    // V given U's step is uniform, and no longer depends on U.
    const sorted = next.at.toSorted();
    const distance = Math.max(...sorted.map((value, i) => Math.abs(value - (i + 0.5) / sorted.length)));
    expect(distance).toBeLessThan(1.63 / Math.sqrt(3000));
    expectNear(kendallTau(next.at, mixed.u), 0, withinStandardErrors(4, 2 / (3 * Math.sqrt(3000))));
    const steps = conditionOnV(truth, mixed);
    expect(steps.below!.every((value, i) => value <= steps.at[i]! && value >= 0)).toBe(true);
  });
});

describe('the choice between TLL and independence', () => {
  const random = createStream(12, 'independent');
  const uniform = () => Float64Array.from({ length: 1000 }, () => random.uniform());
  const nothing: PairData = { u: uniform(), v: uniform(), uBelow: null, vBelow: null };

  it.each(['aic', 'bic', 'mbicv'] as const)('is independence where nothing depends: %s', (criterion) => {
    expect(fitPair(nothing, { ...CHOICES, criterion, psi0: 0.5 })).toEqual({ pair: independence, logLikelihood: 0 });
  });

  it.each(CRITERIA)('is TLL where the columns depend: %s', (criterion) => {
    expect(fitPair(drawn(gaussianPair(0.7), 1000), { ...CHOICES, criterion }).pair.family).toBe('tll');
  });

  it('by mBICV asks for more where dependence is less expected', () => {
    const weak = drawn(gaussianPair(0.5), 1000);
    const family = (psi0: number) => fitPair(weak, { ...CHOICES, criterion: 'mbicv', psi0 }).pair.family;
    expect([family(1 - 1e-12), family(0.9)]).toEqual(['tll', 'independence']);
  });

  it('survives comonotone data, a constant margin and three rows', () => {
    const line = Float64Array.from({ length: 300 }, (_, i) => (i + 1) / 301);
    const flat = new Float64Array(300).fill(0.5);
    const three = Float64Array.of(0.25, 0.5, 0.75);
    for (const [a, b] of [
      [line, line],
      [line, line.toReversed()],
      [line, flat],
      [three, three],
    ] as const) {
      const fit = fitPair({ u: a, v: b, uBelow: null, vBelow: null }, CHOICES);
      expect(Number.isFinite(fit.logLikelihood)).toBe(true);
      expect(fit.pair.tau() * Math.sign(kendallTau(a, b) || 0)).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('independence', () => {
  it('has C(u, v) = u v, and gives its arguments back as their conditional distributions', () => {
    for (const u of [0, ...POINTS, 1]) {
      for (const v of [0, ...POINTS, 1]) {
        expect(independence.cdf(u, v)).toBe(u * v);
        expect([independence.h1(u, v), independence.h2(u, v)]).toEqual([v, u]);
        expect([independence.inverseH1(u, v), independence.inverseH2(u, v)]).toEqual([v, u]);
        expect(independence.logDensity(u, v)).toBe(0);
      }
    }
    const [a, b, out] = [Float64Array.of(0.1, 0.2), Float64Array.of(0.3, 0.4), new Float64Array(2)];
    independence.h1Into(a, b, out);
    expect(out).toEqual(b);
    independence.h2Into(a, b, out);
    expect(out).toEqual(a);
    independence.inverseH2Into(a, b, out);
    expect(out).toEqual(a);
    independence.logDensityInto(a, b, out);
    expect([...out, independence.tau()]).toEqual([0, 0, 0]);
  });
});

describe('a pair that was saved', () => {
  it('comes back as it was written', () => {
    expect(restorePair(JSON.parse('{"family":"independence","rotation":0,"parameters":[]}'))).toBe(independence);
    const grid = { size: 2, values: [1.5, 0.5, 0.5, 1.5], parameterCount: 3 };
    const pair = restorePair(JSON.parse(JSON.stringify({ family: 'tll', rotation: 0, parameters: [], grid })));
    expect(pair.save()).toEqual({ family: 'tll', rotation: 0, parameters: [], grid });
    expect(pair.h1(0, 0.5)).toBeCloseTo(0.625, 12);
  });

  it('is refused with a reason where it is of another family, or has no grid', () => {
    expect(() => restorePair({ family: 'clayton' })).toThrow(
      new RangeError("there is no pair copula 'clayton': pairs are tll or independence"),
    );
    expect(() => restorePair({ family: 'tll' })).toThrow('needs its grid');
    const grid = { size: 3, values: [1, 1, 1, 1], parameterCount: 1 };
    expect(() => restorePair({ family: 'tll', grid })).toThrow('a grid of 3 × 3 densities has 9 values');
  });
});
