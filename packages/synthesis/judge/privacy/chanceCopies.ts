/**
 * Expected chance copies of a real row: synthetic rows times the probability of the same cells. Columns follow by
 * distinctiveness, each with its share of agreement among people who agree so far, or all pairs who agree in an earlier
 * column if that is larger, as the same person may return. Correlated numbers count less, by √(1 − ρ²) of Spearman's ρ.
 */
import { tally } from '../../../numerics/tally.ts';
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, type MeasuredColumns, numericNamed } from '../columns.ts';
import { spearmanOf } from '../fidelity/associations.ts';

/** Below this, chance is ruled out. */
export const NEGLIGIBLE = 0.001;

/** Maximum rows for pairs. */
const PAIRED_ROWS = 4_000;

interface Cells {
  values: ArrayLike<number>;
  isNumber: boolean;
}

/** @returns the expected number for a row of `real` among `made` rows. */
export function chanceCopies(real: ModelTable, columns: MeasuredColumns): (row: number, made: number) => number {
  const cells: Cells[] = [
    ...columns.numeric.map((name) => ({ values: numericNamed(real, name).values, isNumber: true })),
    ...columns.categorical.map((name) => ({ values: categoryNamed(real, name).codes, isNumber: false })),
  ];
  const pairs = pairsOf(cells);
  return (row, made) => {
    const others = Array.from({ length: real.rows }, (_, at) => at).filter((at) => at !== row);
    const agreeing = (among: readonly number[], { values }: Cells) =>
      among.filter((at) => Object.is(values[at]! + 0, values[row]! + 0));
    const shares = cells.map((column, at) => ({ at, count: agreeing(others, column).length }));
    shares.sort((a, b) => a.count - b.count || a.at - b.at);
    let pool: readonly number[] = others;
    let chance = 1;
    const before: number[] = [];
    for (const { at } of shares) {
      const same = agreeing(pool, cells[at]!);
      const own = (same.length + 1) / (pool.length + 1);
      const shared = Math.max(own, ...before.map((given) => pairs.agreeing(at, given)));
      const newness = Math.min(1, ...before.map((given) => pairs.newness(at, given)));
      chance *= Math.min(1, shared / newness);
      if (same.length > 0) pool = same;
      before.push(at);
    }
    return made * chance;
  };
}

interface Pairs {
  /** Share of pairs that agree, among those that agree in `given`. */
  agreeing: (column: number, given: number) => number;
  /** Share of a number that `given` leaves open, above 0. */
  newness: (column: number, given: number) => number;
}

function pairsOf(cells: readonly Cells[]): Pairs {
  const some = cells.map(({ values }) => {
    const step = Math.max(1, values.length / PAIRED_ROWS);
    return Float64Array.from({ length: Math.floor(values.length / step) }, (_, at) => values[Math.floor(at * step)]!);
  });
  const codes = some.map((values) => {
    const codeOf = new Map([...new Set(values)].map((value, code) => [value, code]));
    return Int32Array.from(values, (value) => codeOf.get(value)!);
  });
  const pairsWithin = (groups: Iterable<number>): number =>
    [...tally(groups).values()].reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
  const alone = codes.map((own) => pairsWithin(own));
  const agreeing = (column: number, given: number): number => {
    if (alone[given] === 0) return 0;
    const [a, b] = [codes[column]!, codes[given]!];
    return pairsWithin(a.map((code, row) => code * b.length + b[row]!)) / alone[given]!;
  };
  const newness = (column: number, given: number): number => {
    if (!cells[column]!.isNumber || !cells[given]!.isNumber) return 1;
    const found = spearmanOf([some[column]!, some[given]!])(0, 1);
    return found === undefined || !Number.isFinite(found) ? 1 : Math.max(1e-6, Math.sqrt(1 - Math.min(1, found ** 2)));
  };
  return { agreeing: keptFor(agreeing), newness: keptFor(newness) };
}

function keptFor(of: (column: number, given: number) => number): (column: number, given: number) => number {
  const known = new Map<string, number>();
  return (column, given) => {
    const key = `${column} ${given}`;
    const found = known.get(key) ?? of(column, given);
    known.set(key, found);
    return found;
  };
}
