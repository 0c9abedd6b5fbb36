/** A power of two keeps 1e±300 in range; fences limit extreme cells. */
import type { NumberScale } from './design.ts';

/** Distance from the median in spreads (5 % to 95 % quantile), wide enough for genuine tails. */
const FENCE = 100;

/** Undefined with fewer than two distinct values. */
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
  // Ignores rounding noise.
  return sd > 1e-12 * Math.abs(mean) && sd > 0 ? { unit, low, high, mean, sd } : undefined;
}

export function standardise({ unit, low, high, mean, sd }: NumberScale, value: number): number {
  return (clamp(value / unit, low, high) - mean) / sd;
}

/** `sorted` must not be empty. */
export function fences(sorted: Float64Array): { low: number; high: number } {
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  const median = at(0.5);
  let spread = at(0.95) - at(0.05);
  if (spread === 0) {
    // If 90 % are equal, use the others' distances.
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
