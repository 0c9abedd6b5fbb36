import { describe, expect, test } from 'vitest';
import { autocovariance } from '../../../../packages/numerics/mcmc/autocovariance.ts';
import {
  bulkEss,
  convergenceOf,
  coordinateOf,
  ebfmi,
  meanEss,
  quantileEss,
  rankNormalise,
  rHat,
  tailEss,
} from '../../../../packages/numerics/mcmc/diagnostics.ts';
import { normalQuantile } from '../../../../packages/numerics/special/normal.ts';
import { exact, expectNear } from '../../../support/tolerance.ts';
import { errorOfMean, errorOfQuantile, errorOfSd } from '../monteCarloError.ts';
import { makeSeries, SERIES } from './references.ts';

/** Both sides are sums of some hundred doubles; ArviZ has its autocovariances by Fourier transform. */
const closeTo = (actual: number, expected: number): void => expectNear(actual, expected, exact(1e-8));

describe.each(SERIES)('on the series "$name" the value of ArviZ is that of', (reference) => {
  const chains = makeSeries(reference.series);

  test('the series itself', () => {
    closeTo(chains[0]![0]!, reference.first);
    closeTo(chains.at(-1)!.at(-1)!, reference.last);
  });
  test('R̂', () => closeTo(rHat(chains), reference.rHat));
  test('bulk ESS', () => closeTo(bulkEss(chains), reference.bulk));
  test('tail ESS', () => closeTo(tailEss(chains), reference.tail));
  test('all three of convergence, to the bit', () => {
    const odd = chains.map((chain) => chain.subarray(1));
    for (const some of [chains, odd])
      expect(convergenceOf(some)).toEqual({ rHat: rHat(some), bulkEss: bulkEss(some), tailEss: tailEss(some) });
  });
  test('the ESS of the mean', () => closeTo(meanEss(chains), reference.mean));
  test('the ESS of a quantile', () => closeTo(quantileEss(chains, 0.25), reference.q25));
  test('the error of the mean', () => closeTo(errorOfMean(chains), reference.errorOfMean));
  test('the error of the sd', () => closeTo(errorOfSd(chains), reference.errorOfSd));
  test('the error of a quantile', () => closeTo(errorOfQuantile(chains, 0.1), reference.errorOfQ10));
  test('E-BFMI', () => closeTo(ebfmi(chains[0]!), reference.bfmi));
});

describe('diagnostics', () => {
  test('are NaN where there are too few draws, or one is not finite', () => {
    const short = [Float64Array.of(1, 2, 3), Float64Array.of(1, 2, 3)];
    const broken = makeSeries(SERIES[0]!.series);
    broken[1]![3] = Number.NaN;
    for (const chains of [short, broken]) {
      for (const some of [rHat, bulkEss, tailEss, errorOfMean, errorOfSd]) expect(some(chains)).toBeNaN();
      expect(errorOfQuantile(chains, 0.5)).toBeNaN();
      expect(Object.values(convergenceOf(chains))).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    }
    expect(ebfmi(Float64Array.of(1, 2))).toBeNaN();
  });

  test('take draws that are all one value for as many as they are', () => {
    const chains = [new Float64Array(50).fill(2), new Float64Array(50).fill(2)];
    expect(bulkEss(chains)).toBe(100);
    expect(rHat(chains)).toBeNaN();
  });

  test('see one chain that stands apart', () => {
    const chains = makeSeries({ ...SERIES[0]!.series, phi: 0 });
    expect(rHat(chains)).toBeLessThan(1.02);
    expect(rHat([...chains.slice(1), chains[0]!.map((x) => x + 3)])).toBeGreaterThan(1.3);
  });

  test('see one chain that is wider, though all have one mean', () => {
    const chains = makeSeries({ ...SERIES[0]!.series, phi: 0 });
    expect(rHat([...chains.slice(1), chains[0]!.map((x) => x * 4)])).toBeGreaterThan(1.1);
  });

  test('take one coordinate of the draws of all chains', () => {
    const draws = [Float64Array.of(1, 2, 3, 4, 5, 6), Float64Array.of(7, 8, 9, 10, 11, 12)];
    expect(coordinateOf(draws, 3, 1)).toEqual([Float64Array.of(2, 5), Float64Array.of(8, 11)]);
  });
});

test('normal scores do not depend on the scale, and ties share their mean rank', () => {
  const [a, b] = [Float64Array.of(3, 1, 2), Float64Array.of(2, 9, 8)];
  const scores = rankNormalise([a, b]);
  const score = (rank: number): number => normalQuantile((rank - 3 / 8) / (6 + 1 / 4));
  expect(scores).toEqual([
    Float64Array.of(score(4), score(1), score(2.5)),
    Float64Array.of(score(2.5), score(6), score(5)),
  ]);
  expect(rankNormalise([a.map(Math.exp), b.map(Math.exp)])).toEqual(scores);
});

test('autocovariances by Fourier transform are the direct sums', () => {
  const x = makeSeries(SERIES[2]!.series)[0]!;
  const at = autocovariance(x);
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  for (const lag of [0, 1, 63, 64, 65, 200, 499]) {
    let sum = 0;
    for (let i = lag; i < x.length; i++) sum += (x[i]! - mean) * (x[i - lag]! - mean);
    closeTo(at(lag), sum / x.length);
  }
});
