/**
 * Association of every pair of columns: Pearson's r and Spearman's ρ of two numbers, the correlation ratio of a number
 * and a category, Cramér's V of two categories.
 */
import type { ASSOCIATIONS } from '../../../domain/schema/fidelityMetrics.ts';
import { correlationOf } from '../correlationDifference.ts';
import { correlationRatio } from './correlationRatio.ts';
import { cramersV, mergeRare } from './cramersV.ts';
import type { EncodedTable } from './encodeTables.ts';
import { spearmanOf } from './spearman.ts';

export type Association = (typeof ASSOCIATIONS)[number];
export type Pair = readonly [number, number];

/** One number a pair i < j of columns, in order; NaN where the pair is of other kinds or has none. */
export type Associations = Record<Association, Float64Array>;

export const pairsOf = (columns: number): Pair[] =>
  Array.from({ length: columns }, (_, j) => Array.from({ length: j }, (_, i): Pair => [i, j])).flat();

export function associationsOf({ columns }: EncodedTable, pairs: readonly Pair[]): Associations {
  const numbers = columns.flatMap((column) => (column.kind === 'numeric' ? [column.values] : []));
  // Numbers come first in an encoded table, so a number's place among them is its place in the table.
  const [pearson, spearman] = [correlationOf(numbers), spearmanOf(numbers)];
  const merged = columns.map((column) => (column.kind === 'category' ? mergeRare(column.codes, column.levels) : null));
  const none = (): Float64Array => new Float64Array(pairs.length).fill(Number.NaN);
  const out = { pearson: none(), spearman: none(), correlation_ratio: none(), cramers_v: none() };
  for (const [at, [i, j]] of pairs.entries()) {
    const [a, b] = [columns[i]!, columns[j]!];
    if (a.kind === 'numeric' && b.kind === 'numeric') {
      out.pearson[at] = pearson(i, j) ?? Number.NaN;
      out.spearman[at] = spearman(i, j) ?? Number.NaN;
    } else if (a.kind === 'numeric' && b.kind === 'category') {
      out.correlation_ratio[at] = correlationRatio(a.values, b.codes, b.levels) ?? Number.NaN;
    } else {
      out.cramers_v[at] = cramersV(merged[i]!, merged[j]!) ?? Number.NaN;
    }
  }
  return out;
}

/** Root mean squared difference over the pairs that both tables have; undefined where there is none. */
export function associationGap(real: Float64Array, other: Float64Array): number | undefined {
  let squares = 0;
  let pairs = 0;
  for (let at = 0; at < real.length; at++) {
    const gap = real[at]! - other[at]!;
    if (Number.isNaN(gap)) continue;
    squares += gap * gap;
    pairs++;
  }
  return pairs > 0 ? Math.sqrt(squares / pairs) : undefined;
}
