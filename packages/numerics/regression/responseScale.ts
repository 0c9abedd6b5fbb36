/** Maps a response to its family's support or near 1: y = offset + factor · scaled. */
import { type FamilyName, familyOf } from '../distributions/families.ts';
import { fences } from './design/numberScale.ts';

export interface ResponseScale {
  offset: number;
  /** Positive. */
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
/** Units only shift their intercept. */
const SCALED: ReadonlySet<FamilyName> = new Set(['lognormal', 'gamma', 'hurdle_lognormal', 'hurdle_gamma']);

export const isBeta = (family: FamilyName): boolean => BETA.has(family);

/** Divides percentages by 100 under beta families. `isPercent`: known even if no value exceeds 1. */
export const supportScale = (
  family: FamilyName,
  max: number,
  { isPercent = false }: { isPercent?: boolean } = {},
): ResponseScale => (isBeta(family) && (isPercent || max > 1) ? PERCENT : UNCHANGED);

/** Mean and standard deviation under gaussian and Student t, geometric mean under positive families; else unchanged. */
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

/** Avoids overflow. */
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

// z = (clamp(y / unit, low, high) - centre) / spread. The power of two makes 1e300 squarable, the centre keeps 18
// digits, and fences stop one extreme cell from equalising the rest.

export interface StandardUnits {
  unit: number;
  /** In units. */
  low: number;
  high: number;
  centre: number;
  spread: number;
}

/** Undefined with fewer than two distinct values. */
export function fitStandardUnits(y: Float64Array): StandardUnits | undefined {
  const largest = y.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return undefined;
  const unit = 2 ** Math.max(-1022, Math.floor(Math.log2(largest)));
  const sorted = y.map((value) => value / unit).sort();
  const { low, high } = fences(sorted);
  const centre = sorted[Math.round(0.5 * (sorted.length - 1))]!;
  const deviations = sorted.map((value) => Math.min(high, Math.max(low, value)) - centre);
  const mean = deviations.reduce((sum, value) => sum + value, 0) / y.length;
  // Small squares may underflow.
  const most = deviations.reduce((far, value) => Math.max(far, Math.abs(value - mean)), 0);
  if (most === 0) return undefined;
  const squares = deviations.reduce((sum, value) => sum + ((value - mean) / most) ** 2, 0);
  return { unit, low, high, centre, spread: most * Math.sqrt(squares / Math.max(1, y.length - 1)) };
}

export const toStandard = ({ unit, low, high, centre, spread }: StandardUnits, value: number): number =>
  (Math.min(high, Math.max(low, value / unit)) - centre) / spread;

export const isFenced = ({ unit, low, high }: StandardUnits, value: number): boolean =>
  value / unit < low || value / unit > high;

/** y = offset + factor z for locations; differences take the factor alone. */
export const ofStandard = ({ unit, centre, spread }: StandardUnits): { offset: number; factor: number } => ({
  offset: unit * centre,
  factor: unit * spread,
});

const WITHOUT_BOUNDS: ReadonlySet<FamilyName> = new Set(['gaussian', 'student_t']);

export interface ScaledResponse {
  /** In the support, near 1 if unbounded (n). */
  y: Float64Array;
  /** Null for original units or shares. */
  units: StandardUnits | null;
  /** response = offset + factor · y, unless fenced. */
  scale: ResponseScale;
  /** Number of fenced values. */
  fenced: number;
  /** NaN if fenced. */
  zero: number;
}

/** Divides percentages by 100 and unbounded reals by their spread. Throws a RangeError outside the support. */
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
