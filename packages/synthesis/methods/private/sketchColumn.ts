/**
 * What is learned of a column by itself: noisy counts of its levels, or of ranges of its numbers that are counted again in
 * parts where they hold many rows; and bins made from these, by which pairs are measured.
 */
import type { Curator } from '../../../numerics/privacy/curator.ts';
import { firstAbove } from '../../../numerics/search.ts';
import { MISSING } from '../../../tables/table.ts';
import { type CodedColumn, isLevels } from './codes.ts';
import { countRanges, sumOf } from './countRanges.ts';
import { mergeBins } from './mergeBins.ts';
import { nonnegative, SEEN_ERRORS, weighRanges } from './weighRanges.ts';

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

/** A bin of numbers holds this many of its own standard errors, at least. */
const BIN_ERRORS = 1;

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
  const summed = groups.map((group) => sumOf(group.map((level) => own[level]!)));
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

function sketchNumbers(column: CodedColumn, curator: Curator, rho: number, maxBins: number): ColumnSketch {
  const { ranges, missing, variance } = countRanges(column, curator, rho);
  const weights = weighRanges(ranges);
  const parts = ranges.map((range, at) => ({ rows: weights[at]!, counts: [range.count], variance: range.variance }));
  const bins = mergeBins(parts, maxBins, BIN_ERRORS);
  const sketch = { edges: [...ranges.map(({ from }) => from), column.size], weights, bins };
  const [counts, variances] = [ranges.map(({ count }) => count), ranges.map(({ variance }) => variance)].map((values) =>
    sumByBin(values, bins),
  );
  return withMissing(sketch, counts!, variances!, { missing, variance });
}

/** Sums of values by the bins that they are of. */
export function sumByBin(values: readonly number[], bins: readonly number[]): number[] {
  const out = new Array<number>(Math.max(...bins) + 1).fill(0);
  for (const [at, value] of values.entries()) out[bins[at]!]! += value;
  return out;
}
