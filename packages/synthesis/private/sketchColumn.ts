/**
 * What is learned of a column by itself: noisy counts of its levels, or of ranges of its numbers that are counted again in
 * parts where they hold many rows; and bins made from these, by which pairs are measured.
 */
import type { Curator } from '../../numerics/privacy/curator.ts';
import { firstAbove } from '../../numerics/search.ts';
import { MISSING } from '../../tables/table.ts';
import { type CodedColumn, isLevels } from './codes.ts';

/** A range of codes, whose rows are spread evenly over it, is a level by itself or neighbouring numbers. */
export interface ColumnSketch {
  /** The first code of each range, ascending, and the number of codes. */
  edges: number[];
  /** Rows of each range, as far as noise lets them be known: 0 or more. */
  weights: number[];
  /** The bin of each range. */
  bins: number[];
  /** Bins, that of missing cells among them, which is the last one. */
  size: number;
  /** Whether missing cells have a bin: not where they are too few to be told from noise. */
  hasMissing: boolean;
  /** Noisy counts of the bins, and the variance of each. */
  counts: number[];
  variances: number[];
}

/** A column of at most so many numbers is counted one by one. */
const FEW_NUMBERS = 128;
/** Ranges that a column of more is first counted in, each end by itself, and parts of a range that is counted again. */
const FIRST_RANGES = 64;
const PARTS = 32;
const MAX_DEPTH = 4;
/** A range is counted again where it holds this share of the rows, and more than noise alone would. */
const LARGE_SHARE = 1 / 100;
const SURE_ERRORS = 6;
/** A level (or missing cells) of fewer standard errors is not told from noise. */
const SEEN_ERRORS = 2;
/** A bin of numbers holds this many standard errors of a range, at least. */
const BIN_ERRORS = 2.5;

/** Costs at most `rho`. */
export function sketchColumn(column: CodedColumn, curator: Curator, rho: number, maxBins: number): ColumnSketch {
  return isLevels(column.domain) ? sketchLevels(column, curator, rho) : sketchNumbers(column, curator, rho, maxBins);
}

/** The bin of each row; `MISSING` where it is counted in none. */
export function binCodes(codes: Int32Array, { edges, bins, size, hasMissing }: ColumnSketch): Int32Array {
  const missing = hasMissing ? size - 1 : MISSING;
  const starts = Float64Array.from(edges);
  return codes.map((code) => (code === MISSING ? missing : bins[firstAbove(starts, code) - 1]!));
}

function sketchLevels({ codes, size: levels }: CodedColumn, curator: Curator, rho: number): ColumnSketch {
  const cells = new Int32Array(levels + 1);
  for (const code of codes) cells[code === MISSING ? levels : code]!++;
  const { counts, variance } = curator.count(cells, rho);
  const seen = SEEN_ERRORS * Math.sqrt(variance);
  const [own, missing] = [counts.slice(0, levels), counts[levels]!];
  const kept = own.flatMap((count, level) => (count > seen ? [level] : []));
  const rest = own.flatMap((count, level) => (count > seen ? [] : [level]));
  const bins = own.map((_, level) => (kept.includes(level) ? kept.indexOf(level) : kept.length));
  const groups = [...kept.map((level) => [level]), ...(rest.length > 0 ? [rest] : [])];
  const edges = Array.from({ length: levels + 1 }, (_, level) => level);
  const summed = groups.map((group) => group.reduce((sum, level) => sum + own[level]!, 0));
  const sketch = { edges, weights: nonnegative(own), bins };
  return withMissing(
    sketch,
    summed,
    groups.map((group) => group.length * variance),
    { missing, variance },
  );
}

/** Adds the bin of missing cells where they are more than noise. */
function withMissing(
  sketch: Pick<ColumnSketch, 'edges' | 'weights' | 'bins'>,
  counts: number[],
  variances: number[],
  { missing, variance }: { missing: number; variance: number },
): ColumnSketch {
  const hasMissing = missing > SEEN_ERRORS * Math.sqrt(variance);
  const [all, spread] = hasMissing
    ? [
        [...counts, missing],
        [...variances, variance],
      ]
    : [counts, variances];
  return { ...sketch, size: all.length, hasMissing, counts: all, variances: spread };
}

// Numbers.

interface Range {
  from: number;
  to: number;
  count: number;
  variance: number;
}

function sketchNumbers({ codes, size }: CodedColumn, curator: Curator, rho: number, maxBins: number): ColumnSketch {
  const depth = depthOf(size);
  const first = firstRanges(size);
  const costs = costsOf(rho, depth);
  const { counts: found, variance } = curator.count(countIn(codes, first, true), costs[0]!);
  const [counts, missing] = [found.slice(0, first.length), found[first.length]!];
  const rows = Math.max(
    1,
    counts.reduce((sum, count) => sum + count, 0),
  );
  const large = Math.max(LARGE_SHARE * rows, SURE_ERRORS * Math.sqrt(variance));
  let ranges = first.map((range, at): Range => ({ ...range, count: counts[at]!, variance }));
  let open = ranges;
  for (let level = 1; level < depth; level++) {
    open = open.filter(({ from, to, count }) => to - from > 1 && count > large);
    if (open.length === 0) break;
    const parts = open.map((range) => split(range, Math.min(range.to - range.from, PARTS)));
    const found = curator.count(countIn(codes, parts.flat(), false), costs[level]!);
    const finer = agree(open, parts, found.counts, found.variance);
    const opened = new Set(open);
    ranges = [...ranges.filter((range) => !opened.has(range)), ...finer];
    open = finer;
  }
  ranges.sort((a, b) => a.from - b.from);
  const weights = weigh(ranges);
  const bins = binRanges(weights, maxBins, BIN_ERRORS * Math.sqrt(variance));
  const binCounts = new Array<number>(Math.max(...bins) + 1).fill(0);
  const variances = binCounts.map(() => 0);
  for (const [at, range] of ranges.entries()) {
    binCounts[bins[at]!]! += range.count;
    variances[bins[at]!]! += range.variance;
  }
  const sketch = { edges: [...ranges.map(({ from }) => from), size], weights, bins };
  return withMissing(sketch, binCounts, variances, { missing, variance });
}

/** How often ranges have to be split until one number is alone, and no more than is paid for. */
function depthOf(size: number): number {
  if (size <= FEW_NUMBERS) return 1;
  return Math.min(MAX_DEPTH, 1 + Math.ceil(Math.log(size / FIRST_RANGES) / Math.log(PARTS) - 1e-9));
}

/** The first count takes half, since all depends on it, and each further one half of what is left: the last all of it. */
const costsOf = (rho: number, depth: number): number[] =>
  Array.from({ length: depth }, (_, level) => rho / 2 ** Math.min(level + 1, depth - 1));

/** Many columns have their least or largest number often: those beyond the domain count as its ends, too. */
function firstRanges(size: number): Pick<Range, 'from' | 'to'>[] {
  if (size <= FEW_NUMBERS) return split({ from: 0, to: size }, size);
  const inner = split({ from: 1, to: size - 1 }, FIRST_RANGES - 2);
  return [{ from: 0, to: 1 }, ...inner, { from: size - 1, to: size }];
}

function split({ from, to }: Pick<Range, 'from' | 'to'>, parts: number): Pick<Range, 'from' | 'to'>[] {
  const at = (part: number): number => from + Math.floor(((to - from) * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ from: at(part), to: at(part + 1) }));
}

/** Rows by range, ranges ascending; with the missing ones behind them where that is asked. */
function countIn(codes: Int32Array, ranges: readonly Pick<Range, 'from' | 'to'>[], withGone: boolean): Int32Array {
  const out = new Int32Array(ranges.length + (withGone ? 1 : 0));
  const starts = Float64Array.from(ranges, ({ from }) => from);
  for (const code of codes) {
    if (code === MISSING) {
      if (withGone) out[ranges.length]!++;
      continue;
    }
    const at = firstAbove(starts, code) - 1;
    if (at >= 0 && code < ranges[at]!.to) out[at]!++;
  }
  return out;
}

/**
 * Parts whose sum is what the range's own count and theirs say together, each by its precision; and which differ among each other
 * as much less as noise makes them differ.
 */
function agree(
  ranges: readonly Range[],
  parts: readonly (readonly Pick<Range, 'from' | 'to'>[])[],
  counts: readonly number[],
  variance: number,
): Range[] {
  let at = 0;
  return ranges.flatMap((range, i) => {
    const own = counts.slice(at, at + parts[i]!.length);
    at += own.length;
    const sum = own.reduce((total, count) => total + count, 0);
    const spread = own.length * variance;
    const both = (range.count * spread + sum * range.variance) / (spread + range.variance);
    const mean = sum / own.length;
    const differ = own.reduce((total, count) => total + (count - mean) ** 2, 0) / (own.length - 1);
    const kept = Math.max(0, 1 - variance / differ);
    const rest = 1 / (1 / spread + 1 / range.variance) / own.length;
    return parts[i]!.map((part, j) => ({
      ...part,
      count: both / own.length + kept * (own[j]! - mean),
      variance: rest + kept ** 2 * variance * (1 - 1 / own.length),
    }));
  });
}

/**
 * Rows of ranges. Those that do not rise above noise are spread evenly over as many of their kind as do together: rows near
 * the ends of a column are so few that noise would leave none.
 */
function weigh(ranges: readonly Range[]): number[] {
  const runs: Range[][] = [];
  let open: Range[] = [];
  for (const range of ranges) {
    if (isSeen([range])) runs.push([range]);
    else if (open.push(range) && isSeen(open)) {
      runs.push(open);
      open = [];
    }
  }
  const last = runs.findLast((run) => run.length > 1);
  if (last) last.push(...open);
  else if (open.length > 0) runs.push(open);
  const rows = nonnegative(runs.map((run) => sumOf(run.map(({ count }) => count))));
  const weightOf = new Map<Range, number>();
  for (const [at, run] of runs.entries()) {
    const density = rows[at]! / sumOf(run.map(({ from, to }) => to - from));
    for (const range of run) weightOf.set(range, density * (range.to - range.from));
  }
  return ranges.map((range) => weightOf.get(range)!);
}

const isSeen = (run: readonly Range[]): boolean =>
  sumOf(run.map(({ count }) => count)) > SEEN_ERRORS * Math.sqrt(sumOf(run.map(({ variance }) => variance)));

const sumOf = (some: readonly number[]): number => some.reduce((sum, value) => sum + value, 0);

/**
 * Neighbouring ranges together until each bin holds its share, and `least`, of the rows that are in no large range: those have a bin of their
 * own each.
 */
function binRanges(weights: readonly number[], maxBins: number, least: number): number[] {
  const even = sumOf(weights) / maxBins;
  const small = weights.filter((weight) => weight < even);
  const share = Math.max(least, sumOf(small) / Math.max(1, maxBins - weights.length + small.length));
  const bins: number[] = [];
  let [bin, held] = [0, 0];
  for (const [at, weight] of weights.entries()) {
    // What is nearly a bin by itself does not join the one before it.
    if (held > 0 && (weight >= share || held + weight / 2 > share)) {
      bin++;
      held = 0;
    }
    bins[at] = bin;
    held += weight;
  }
  return bins;
}

/** The nearest counts that are 0 or more and have the same sum: what is not above noise goes (a projection on a simplex). */
function nonnegative(counts: readonly number[]): number[] {
  const total = Math.max(
    1,
    counts.reduce((sum, count) => sum + count, 0),
  );
  let [sum, least] = [0, 0];
  for (const [at, count] of counts.toSorted((a, b) => b - a).entries()) {
    sum += count;
    const cut = (sum - total) / (at + 1);
    if (count > cut) least = cut;
  }
  return counts.map((count) => Math.max(0, count - least));
}
