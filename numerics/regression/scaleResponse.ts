/** Moves a response into the support, or near the unit, of its family, and back: y = offset + factor · scaled. */
import type { FamilyName } from '../distributions/family.ts';

export interface ResponseScale {
  offset: number;
  /** Above 0. */
  factor: number;
}

export const UNCHANGED: ResponseScale = { offset: 0, factor: 1 };

const PERCENT: ResponseScale = { offset: 0, factor: 100 };

const BETA: ReadonlySet<FamilyName> = new Set([
  'beta',
  'zero_inflated_beta',
  'one_inflated_beta',
  'zero_one_inflated_beta',
]);
/** Their location is a factor: a change of the unit of y is a change of the intercept. */
const SCALED: ReadonlySet<FamilyName> = new Set(['lognormal', 'gamma', 'hurdle_lognormal', 'hurdle_gamma']);

export const isBeta = (family: FamilyName): boolean => BETA.has(family);

/**
 * Percent is divided by 100 under the beta families; everything else has its family's support already. `max`: greatest
 * value of the response; `isPercent`: it is known to be percent, even where no value is above 1.
 */
export const supportScale = (family: FamilyName, max: number, isPercent: boolean): ResponseScale =>
  isBeta(family) && (isPercent || max > 1) ? PERCENT : UNCHANGED;

/**
 * What brings a sample `y` of a family without bounds near 1, so that an optimiser needs no scale of its own: mean and
 * standard deviation of the sample under gaussian and Student t, the geometric mean of what is above 0 under positive
 * families. Counts, shares and samples without spread are left as they are.
 */
export function unitScale(family: FamilyName, y: Float64Array): ResponseScale {
  if (family === 'gaussian' || family === 'student_t') return spreadOf(y);
  if (!SCALED.has(family)) return UNCHANGED;
  let sum = 0;
  let count = 0;
  for (const value of y) {
    if (value > 0) sum += Math.log(value);
    if (value > 0) count++;
  }
  return count > 0 ? { offset: 0, factor: Math.exp(sum / count) } : UNCHANGED;
}

/** Mean and standard deviation, without overflow on the way. */
function spreadOf(y: Float64Array): ResponseScale {
  let most = 0;
  for (const value of y) most = Math.max(most, Math.abs(value));
  if (!(most > 0)) return UNCHANGED;
  let mean = 0;
  for (const value of y) mean += value / most / y.length;
  let square = 0;
  for (const value of y) square += (value / most - mean) ** 2 / y.length;
  const factor = Math.sqrt(square) * most;
  return factor > 0 && Number.isFinite(1 / factor) ? { offset: mean * most, factor } : UNCHANGED;
}

export const toScale = (y: Float64Array, { offset, factor }: ResponseScale): Float64Array =>
  y.map((value) => (value - offset) / factor);

export const fromScale = (y: Float64Array, { offset, factor }: ResponseScale): Float64Array =>
  y.map((value) => offset + factor * value);
