/**
 * A response without bounds in units of its own spread: z = (clamp(y / unit, low, high) - centre) / spread. Divided by a
 * power of two first, 1e300 has a square; centred at one of the values, 18 digits keep their differences; fenced, one
 * absurd cell does not leave all others equal.
 */
import { fences } from './design/numberScale.ts';

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
export function learnStandardUnits(y: Float64Array): StandardUnits | undefined {
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
