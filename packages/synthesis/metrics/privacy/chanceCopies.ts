/**
 * How many synthetic rows equal a given real row by chance: rows times the probability that somebody else has the same
 * cells. That is a product over columns, those first that tell the row apart best, of the share of people who agree in
 * this column among those who agree in the columns before it. Once nobody agrees any more, it is the share among the last
 * who did: an upper bound, as nobody is known to agree in both. A number that rises with one that was counted before says
 * less that is new, by √(1 − ρ²) of Spearman's ρ, as under a normal copula.
 */
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, type MeasuredColumns, numericNamed } from '../columns.ts';
import { spearmanOf } from '../fidelity/associations.ts';

/** Expected copies below which a copy is no chance. */
export const NEGLIGIBLE = 0.001;

/** Rows that correlations are taken over, at most. */
const CORRELATED_ROWS = 2_000;

interface Cells {
  values: ArrayLike<number>;
  isNumber: boolean;
}

/** @returns the expected number for a row of `real`, among `made` synthetic ones; at most `made`. */
export function chanceCopies(real: ModelTable, columns: MeasuredColumns): (row: number, made: number) => number {
  const cells: Cells[] = [
    ...columns.numeric.map((name) => ({ values: numericNamed(real, name).values, isNumber: true })),
    ...columns.categorical.map((name) => ({ values: categoryNamed(real, name).codes, isNumber: false })),
  ];
  const newness = newnessOf(cells);
  return (row, made) => {
    const others = Array.from({ length: real.rows }, (_, at) => at).filter((at) => at !== row);
    const agreeing = (among: readonly number[], { values }: Cells) =>
      among.filter((at) => Object.is(values[at]! + 0, values[row]! + 0));
    const shares = cells.map((column, at) => ({ at, count: agreeing(others, column).length }));
    shares.sort((a, b) => a.count - b.count || a.at - b.at);
    let pool: readonly number[] = others;
    let chance = 1;
    const taken: number[] = [];
    for (const { at } of shares) {
      const same = agreeing(pool, cells[at]!);
      const share = (same.length + 1) / (pool.length + 1);
      chance *= Math.min(1, share / newness(at, taken));
      if (same.length > 0) pool = same;
      taken.push(at);
    }
    return made * chance;
  };
}

/** The part of a column that the columns taken before it leave open: 0 to 1, never quite 0. */
function newnessOf(cells: readonly Cells[]): (at: number, taken: readonly number[]) => number {
  const known = new Map<string, number>();
  const some = (values: ArrayLike<number>): Float64Array => {
    const step = Math.max(1, values.length / CORRELATED_ROWS);
    return Float64Array.from({ length: Math.floor(values.length / step) }, (_, at) => values[Math.floor(at * step)]!);
  };
  const correlation = (a: number, b: number): number => {
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = spearmanOf([some(cells[a]!.values), some(cells[b]!.values)])(0, 1);
    const size = found === undefined || !Number.isFinite(found) ? 0 : Math.abs(found);
    known.set(key, size);
    return size;
  };
  return (at, taken) => {
    if (!cells[at]!.isNumber) return 1;
    const largest = Math.max(
      0,
      ...taken.filter((other) => cells[other]!.isNumber).map((other) => correlation(at, other)),
    );
    return Math.max(1e-6, Math.sqrt(1 - Math.min(1, largest) ** 2));
  };
}
