/** Noisy counts of a column, and bins for measuring pairs. */
import type { Curator } from '../../../numerics/privacy/curator.ts';
import { firstAbove } from '../../../numerics/search.ts';
import { MISSING } from '../../../tables/table.ts';
import { type CodedColumn, isLevels } from './codes.ts';
import { countRanges, sumOf } from './countRanges.ts';
import { mergeBins } from './mergeBins.ts';
import { nonnegative, SEEN_ERRORS, weighRanges } from './weighRanges.ts';

/** Ranges of codes, over which rows are spread evenly. */
export interface ColumnSketch {
  /** Starts, then the number of codes. */
  edges: number[];
  /** Estimated rows, at least 0. */
  weights: number[];
  bins: number[];
  /** Includes a last bin for missing cells. */
  size: number;
  /** False if they are indistinguishable from noise. */
  hasMissing: boolean;
  counts: number[];
  variances: number[];
}

/** Minimum size in standard errors. */
const BIN_ERRORS = 1;

/** Costs at most `rho`. */
export function sketchColumn(column: CodedColumn, curator: Curator, rho: number, maxBins: number): ColumnSketch {
  return isLevels(column.domain) ? sketchLevels(column, curator, rho) : sketchNumbers(column, curator, rho, maxBins);
}

/** `MISSING` for rows without a bin. */
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

export function sumByBin(values: readonly number[], bins: readonly number[]): number[] {
  const out = new Array<number>(Math.max(...bins) + 1).fill(0);
  for (const [at, value] of values.entries()) out[bins[at]!]! += value;
  return out;
}
