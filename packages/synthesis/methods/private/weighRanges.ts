/** Turns noisy counts of ranges into nonnegative weights. */
import { type Range, sumOf } from './countRanges.ts';

/** Minimum standard errors for a signal. */
export const SEEN_ERRORS = 2;

/** Minimum rows of the last run (standard errors), so that chance does not cut off a tail. */
const TAIL_ERRORS = 0.5;

/** Spreads weak ranges evenly once they exceed noise together, since noise would erase tails. */
export function weighRanges(ranges: readonly Range[]): number[] {
  const runs: Range[][] = [];
  let open: Range[] = [];
  for (const range of ranges) {
    if (isSeen([range])) runs.push([range]);
    else if (open.push(range) && isSeen(open)) {
      runs.push(open);
      open = [];
    }
  }
  const sums = runs.map(rowsOf);
  if (open.length > 0) {
    runs.push(open);
    sums.push(Math.max(rowsOf(open), TAIL_ERRORS * errorOf(open)));
  }
  const rows = nonnegative(sums);
  const weightOf = new Map<Range, number>();
  for (const [at, run] of runs.entries()) {
    const density = rows[at]! / sumOf(run.map(({ from, to }) => to - from));
    for (const range of run) weightOf.set(range, density * (range.to - range.from));
  }
  return ranges.map((range) => weightOf.get(range)!);
}

const rowsOf = (run: readonly Range[]): number => sumOf(run.map(({ count }) => count));
const errorOf = (run: readonly Range[]): number => Math.sqrt(sumOf(run.map(({ variance }) => variance)));
const isSeen = (run: readonly Range[]): boolean => rowsOf(run) > SEEN_ERRORS * errorOf(run);

/** Projects onto the nearest nonnegative counts with the same sum. */
export function nonnegative(counts: readonly number[]): number[] {
  const total = Math.max(1, sumOf(counts));
  let [sum, least] = [0, 0];
  for (const [at, count] of counts.toSorted((a, b) => b - a).entries()) {
    sum += count;
    const cut = (sum - total) / (at + 1);
    if (count > cut) least = cut;
  }
  return counts.map((count) => Math.max(0, count - least));
}
