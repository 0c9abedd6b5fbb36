/** Rows of ranges from noisy counts: what does not rise above noise is no row of its own. */
import { type Range, sumOf } from './countRanges.ts';

/** A level, missing cells, or a run of ranges of fewer standard errors is not told from noise. */
export const SEEN_ERRORS = 2;

/** Rows that a last run has at least, in its standard errors: below 0 noise hid some, and a tail is not cut off by chance. */
const TAIL_ERRORS = 0.5;

/**
 * Rows of ranges. Those that do not rise above noise are spread evenly over as many of their kind as do together: rows near
 * the ends of a column are so few that noise would leave none.
 */
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

/** The nearest counts that are 0 or more and have the same sum: what is not above noise goes (a projection on a simplex). */
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
