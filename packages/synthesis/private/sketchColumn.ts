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

/** Ranges that a column of numbers is first counted in, and parts of a range that is counted again. */
const FIRST_RANGES = 64;
const PARTS = 32;
const MAX_DEPTH = 4;
/** A range is counted again where it holds this share of the rows, and more than noise alone would. */
const LARGE_SHARE = 1 / 40;
const SURE_ERRORS = 6;
/** A level (or missing cells) of fewer standard errors is not told from noise. */
const SEEN_ERRORS = 3;

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
  const first = split({ from: 0, to: size }, Math.min(size, FIRST_RANGES));
  const { counts: found, variance } = curator.count(countIn(codes, first, true), rho / depth);
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
    const found = curator.count(countIn(codes, parts.flat(), false), rho / depth);
    const finer = agree(open, parts, found.counts, found.variance);
    const opened = new Set(open);
    ranges = [...ranges.filter((range) => !opened.has(range)), ...finer];
    open = finer;
  }
  ranges.sort((a, b) => a.from - b.from);
  const weights = nonnegative(ranges.map(({ count }) => count));
  const bins = binRanges(weights, maxBins);
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
const depthOf = (size: number): number =>
  Math.min(MAX_DEPTH, 1 + Math.max(0, Math.ceil(Math.log(size / FIRST_RANGES) / Math.log(PARTS) - 1e-9)));

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

/** Parts whose sum is what the range's own count and theirs say together, each by its precision. */
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
    return parts[i]!.map((part, j) => ({ ...part, count: own[j]! + (both - sum) / own.length, variance }));
  });
}

/** Neighbouring ranges together until each bin holds its share of the rows; a large range has a bin of its own. */
function binRanges(weights: readonly number[], maxBins: number): number[] {
  const share = weights.reduce((sum, weight) => sum + weight, 0) / maxBins;
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
