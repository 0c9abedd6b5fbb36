/**
 * How a column of numbers becomes a coordinate z of mean 0 and standard deviation 1.
 * Values are divided by a power of two near the largest (so that 1e300 and 1e-300 lie in range), winsorised at fences
 * FENCE spreads from the median (so that one absurd cell does not take the place of the column), centred and scaled.
 */
import type { NumberScale } from './design.ts';

/** Spread: from the 5 % to the 95 % quantile. A hundred of them leave legitimate heavy tails alone. */
const FENCE = 100;

/** Undefined where there are not two distinct finite values. */
export function fitNumberScale(values: Float64Array): NumberScale | undefined {
  const present = values.filter(Number.isFinite);
  const largest = present.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return undefined;
  const unit = 2 ** Math.floor(Math.log2(largest));
  const sorted = present.map((value) => value / unit).sort();
  const { low, high } = fences(sorted);
  let sum = 0;
  for (const value of sorted) sum += clamp(value, low, high);
  const mean = sum / sorted.length;
  let squares = 0;
  for (const value of sorted) squares += (clamp(value, low, high) - mean) ** 2;
  const sd = Math.sqrt(squares / Math.max(1, sorted.length - 1));
  // A spread within rounding of the level says nothing.
  return sd > 1e-12 * Math.abs(mean) && sd > 0 ? { unit, low, high, mean, sd } : undefined;
}

/** z of a finite value. */
export function standardise({ unit, low, high, mean, sd }: NumberScale, value: number): number {
  return (clamp(value / unit, low, high) - mean) / sd;
}

/** The least and the greatest that count as they are; `sorted` ascends and is not empty. */
export function fences(sorted: Float64Array): { low: number; high: number } {
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  const median = at(0.5);
  let spread = at(0.95) - at(0.05);
  if (spread === 0) {
    // Nine cells in ten are equal: the distance of the others, at its 90 % quantile.
    const others = sorted
      .filter((value) => value !== median)
      .map((value) => Math.abs(value - median))
      .sort();
    spread = others[Math.floor(0.9 * (others.length - 1))] ?? 0;
  }
  return {
    low: Math.max(sorted[0]!, median - FENCE * spread),
    high: Math.min(sorted[sorted.length - 1]!, median + FENCE * spread),
  };
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
