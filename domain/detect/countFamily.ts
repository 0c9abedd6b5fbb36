/** Families of small counts: fitted by maximum likelihood without predictors and compared, then their zeros looked at. */
import type { Family } from '../schema/families.ts';
import { percent } from '../table/wording.ts';
import { momentsOf, shareWhere } from './sampleMoments.ts';

/** Zeros beyond or below what a family fits, from which they are a matter of their own. */
const ZERO_GAP = 0.02;
/** Standard errors that the share of zeros has to be away from what a family fits. */
const ERRORS = 4;

interface Fit {
  family: 'poisson' | 'negative_binomial' | 'zero_inflated_poisson';
  /** Up to the sum of log y!, which all families share. */
  logLikelihood: number;
  parameters: number;
  /** The share of zeros that the fit has. */
  zeros: number;
}

/** What the fits need of the counts. `above[j]`: how many counts are greater than j. */
interface Counts {
  n: number;
  mean: number;
  zeros: number;
  above: Float64Array;
}

/** `counts`: a sample of whole numbers ≥ 0 that are not all zero. The Bayesian information criterion chooses. */
export function countFamily(counts: readonly number[]): { family: Family; reason: string } {
  const data = tabulate(counts);
  const fits = [poisson(data), negativeBinomial(data), zeroInflatedPoisson(data)];
  const criterion = (fit: Fit): number => fit.parameters * Math.log(data.n) - 2 * fit.logLikelihood;
  const best = fits.reduce((a, b) => (criterion(b) < criterion(a) ? b : a));
  const { mean, variance } = momentsOf(counts);
  const observed = data.zeros / data.n;
  const family = withZeros(best, observed, data.n);
  const figures = `mean ${mean.toFixed(2)}, variance ${variance.toFixed(2)} and ${percent(observed)} zeros`;
  const reason = `counts with ${figures} are fitted best by a ${worded(best.family)}, which has ${percent(best.zeros)} zeros`;
  return { family, reason: family === best.family ? reason : `${reason}, so ${worded(family)}` };
}

const worded = (family: Family): string => family.replaceAll('_', ' ');

/** The fit's family, or its zero-inflated or hurdle form where zeros are more or fewer than it has. */
function withZeros(fit: Fit, observed: number, n: number): Family {
  if (fit.family === 'zero_inflated_poisson') return fit.family;
  const error = Math.sqrt(Math.max(fit.zeros * (1 - fit.zeros), observed * (1 - observed)) / n);
  const gap = observed - fit.zeros;
  if (Math.abs(gap) < Math.max(ZERO_GAP, ERRORS * error)) return fit.family;
  return gap > 0 ? `zero_inflated_${fit.family}` : `hurdle_${fit.family}`;
}

function tabulate(counts: readonly number[]): Counts {
  const above = new Float64Array(counts.reduce((a, b) => Math.max(a, b), 0));
  for (const count of counts) for (let j = 0; j < count; j++) above[j]!++;
  const n = counts.length;
  return { n, mean: momentsOf(counts).mean, zeros: n * shareWhere(counts, (count) => count === 0), above };
}

function poisson({ n, mean }: Counts): Fit {
  const logLikelihood = n * (mean * Math.log(mean) - mean);
  return { family: 'poisson', logLikelihood, parameters: 1, zeros: Math.exp(-mean) };
}

/** Mean and size; the mean's estimate is the sample's whatever the size, which golden section search finds. */
function negativeBinomial(data: Counts): Fit {
  const { n, mean, above } = data;
  const logLikelihood = (logSize: number): number => {
    const size = Math.exp(logSize);
    let rising = 0;
    for (let j = 0; j < above.length; j++) rising += above[j]! * Math.log(size + j);
    return rising + n * (size * (logSize - Math.log(size + mean)) + mean * (Math.log(mean) - Math.log(size + mean)));
  };
  // From a size that no data need to one at which it is a Poisson.
  const best = goldenSection(logLikelihood, Math.log(1e-4), Math.log(1e4));
  const size = Math.exp(best);
  const zeros = (size / (size + mean)) ** size;
  return { family: 'negative_binomial', logLikelihood: logLikelihood(best), parameters: 2, zeros };
}

/** Its zeros are the sample's, and the positive counts are a Poisson's without zero. */
function zeroInflatedPoisson({ n, mean, zeros }: Counts): Fit {
  const positive = n - zeros;
  const rate = truncatedRate((n * mean) / positive);
  const isInflated = zeros > 0 && zeros / n > Math.exp(-rate) && rate > 1e-6;
  const zeroTerm = zeros > 0 ? zeros * Math.log(zeros / n) : 0;
  const logLikelihood =
    zeroTerm + positive * (Math.log(positive / n) - rate - Math.log(-Math.expm1(-rate))) + n * mean * Math.log(rate);
  return {
    family: 'zero_inflated_poisson',
    logLikelihood: isInflated ? logLikelihood : Number.NEGATIVE_INFINITY,
    parameters: 2,
    zeros: zeros / n,
  };
}

/** The rate of a Poisson whose mean without zeros is `mean`: rate / (1 - e^-rate) = mean, by iteration. */
function truncatedRate(mean: number): number {
  let rate = mean;
  for (let i = 0; i < 500; i++) rate = mean * -Math.expm1(-rate);
  return rate;
}

/** Where a function of one peak is greatest between two ends. */
function goldenSection(value: (at: number) => number, low: number, high: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [from, to] = [low, high];
  for (let i = 0; i < 60; i++) {
    const left = to - ratio * (to - from);
    const right = from + ratio * (to - from);
    if (value(left) > value(right)) to = right;
    else from = left;
  }
  return (from + to) / 2;
}
