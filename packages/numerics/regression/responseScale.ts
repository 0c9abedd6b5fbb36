/** Moves a response into the support, or near the unit, of its family, and back: y = offset + factor · scaled. */
import { type FamilyName, familyOf } from '../distributions/families.ts';
import { fences } from './design/numberScale.ts';

export interface ResponseScale {
  offset: number;
  /** Above 0. */
  factor: number;
}

const UNCHANGED: ResponseScale = { offset: 0, factor: 1 };

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
export const supportScale = (
  family: FamilyName,
  max: number,
  { isPercent = false }: { isPercent?: boolean } = {},
): ResponseScale => (isBeta(family) && (isPercent || max > 1) ? PERCENT : UNCHANGED);

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

// A response without bounds in units of its own spread: z = (clamp(y / unit, low, high) - centre) / spread. Divided by a
// power of two first, 1e300 has a square; centred at one of the values, 18 digits keep their differences; fenced, one
// absurd cell does not leave all others equal.

export interface StandardUnits {
  /** A power of two near the largest value. */
  unit: number;
  /** Fences, a value in the middle, and the standard deviation, in units. */
  low: number;
  high: number;
  centre: number;
  spread: number;
}

/** Undefined where there are not two distinct values. `y`: finite. */
export function fitStandardUnits(y: Float64Array): StandardUnits | undefined {
  const largest = y.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return undefined;
  const unit = 2 ** Math.max(-1022, Math.floor(Math.log2(largest)));
  const sorted = y.map((value) => value / unit).sort();
  const { low, high } = fences(sorted);
  const centre = sorted[Math.round(0.5 * (sorted.length - 1))]!;
  const deviations = sorted.map((value) => Math.min(high, Math.max(low, value)) - centre);
  const mean = deviations.reduce((sum, value) => sum + value, 0) / y.length;
  // By the largest first, since deviations may be too small to be squared.
  const most = deviations.reduce((far, value) => Math.max(far, Math.abs(value - mean)), 0);
  if (most === 0) return undefined;
  const squares = deviations.reduce((sum, value) => sum + ((value - mean) / most) ** 2, 0);
  return { unit, low, high, centre, spread: most * Math.sqrt(squares / Math.max(1, y.length - 1)) };
}

export const toStandard = ({ unit, low, high, centre, spread }: StandardUnits, value: number): number =>
  (Math.min(high, Math.max(low, value / unit)) - centre) / spread;

export const isFenced = ({ unit, low, high }: StandardUnits, value: number): boolean =>
  value / unit < low || value / unit > high;

/** Back: y = offset + factor z, for a location; a difference or a scale takes the factor alone. */
export const ofStandard = ({ unit, centre, spread }: StandardUnits): { offset: number; factor: number } => ({
  offset: unit * centre,
  factor: unit * spread,
});

/** Location and scale of these are those of the response itself. */
const WITHOUT_BOUNDS: ReadonlySet<FamilyName> = new Set(['gaussian', 'student_t']);

/** A response as its family's regression samples it. */
export interface ScaledResponse {
  /** n: in the family's support where the response is, and near 1 where that has no bounds. */
  y: Float64Array;
  /** What `y` is in; null where it is in the response's own units, or a share of them. */
  units: StandardUnits | null;
  /** response = offset + factor · y, but for what is fenced. */
  scale: ResponseScale;
  /** Values so far from the others that they count as nearer. */
  fenced: number;
  /** What 0 is in `y`; NaN where it lies so far off that others would count as it. */
  zero: number;
}

/**
 * The response (n) in a family's support: percent divided by 100, reals without bounds in units of their spread. Throws
 * RangeError where it is outside of the support.
 */
export function scaleResponse(family: FamilyName, response: Float64Array): ScaledResponse {
  const max = response.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const scale = supportScale(family, max);
  const inSupport = toScale(response, scale);
  const units = (WITHOUT_BOUNDS.has(family) && fitStandardUnits(inSupport)) || null;
  const y = units ? inSupport.map((value) => toStandard(units, value)) : inSupport;
  requireSupport(family, y);
  if (!units) return { y, units, scale, fenced: 0, zero: 0 };
  return {
    y,
    units,
    scale: ofStandard(units),
    fenced: inSupport.reduce((count, value) => count + (isFenced(units, value) ? 1 : 0), 0),
    zero: isFenced(units, 0) ? Number.NaN : toStandard(units, 0),
  };
}

function requireSupport(family: FamilyName, y: Float64Array): void {
  const { support } = familyOf(family);
  const at = y.findIndex((value) => !support.holds(value));
  if (at >= 0)
    throw new RangeError(`the response of row ${at} is outside of the support of ${family}: ${support.words}`);
}
