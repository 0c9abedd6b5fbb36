/** Merges neighbouring bins, least loss first. */
import { sumOf } from './countRanges.ts';

export interface Part {
  /** At least 0. */
  rows: number;
  /** Noisy counts by what distinguishes rows. */
  counts: readonly number[];
  variance: number;
}

interface Bin extends Part {
  parts: number;
  /** Largest standard errors above 0 before merging. */
  seen: number;
}

/** Returns at most `maxBins`, each at least `least` standard errors above noise. */
export function mergeBins(parts: readonly Part[], maxBins: number, least: number): number[] {
  const total = Math.max(1, sumOf(parts.map(({ rows }) => rows)));
  const bins = parts.map((part): Bin => ({ ...part, parts: 1, seen: errorsOf(part) }));
  const lossAt = (i: number): number => lossOf(bins[i]!, bins[i + 1]!, total);
  const losses = Array.from({ length: Math.max(0, bins.length - 1) }, (_, i) => lossAt(i));
  for (;;) {
    const isOpen = (bin: Bin): boolean => bins.length > maxBins || bin.seen < least;
    let at = -1;
    for (const [i, loss] of losses.entries()) {
      if ((at < 0 || loss < losses[at]!) && (isOpen(bins[i]!) || isOpen(bins[i + 1]!))) at = i;
    }
    if (at < 0) return bins.flatMap((bin, i) => new Array<number>(bin.parts).fill(i));
    bins.splice(at, 2, merged(bins[at]!, bins[at + 1]!));
    losses.splice(at, 1);
    if (at > 0) losses[at - 1] = lossAt(at - 1);
    if (at < losses.length) losses[at] = lossAt(at);
  }
}

function merged(a: Bin, b: Bin): Bin {
  const counts = a.counts.map((count, k) => count + b.counts[k]!);
  const both = { rows: a.rows + b.rows, counts, variance: a.variance + b.variance };
  return { ...both, parts: a.parts + b.parts, seen: Math.max(a.seen, b.seen, errorsOf(both)) };
}

const errorsOf = ({ counts, variance }: Part): number => sumOf(counts) / Math.sqrt(counts.length * variance);

/** Share of misplaced rows, plus a penalty for large bins. */
function lossOf(a: Part, b: Part, total: number): number {
  const [p, q] = [sharesOf(a), sharesOf(b)];
  const both = a.rows + b.rows;
  const changed = both > 0 ? (sumOf(p.map((share, k) => Math.abs(share - q[k]!))) / 2) * ((a.rows * b.rows) / both) : 0;
  return changed / total + (both / total) ** 2;
}

function sharesOf({ counts }: Part): number[] {
  const own = counts.map((count) => Math.max(0, count));
  const sum = sumOf(own);
  return own.map((count) => (sum > 0 ? count / sum : 1 / own.length));
}
