/**
 * Exact copies: the share of rows that equal some real row in every column, text included, in percent. Numbers are
 * compared by value, so 1.50 equals 1.5; two missing cells are equal.
 */

import type { PrivacyMetrics } from '../../contract/metrics.ts';
import { ascendingRows } from '../../numerics/rows.ts';
import { tally } from '../../numerics/tally.ts';
import type { CategoryColumn, ModelTable } from '../models/model.ts';
import { categoryNamed, type MeasuredColumns, numericNamed, takeRows, textNamed } from './columns.ts';
import type { Measure } from './measure.ts';
import { addCounts, type Count, shareFigure } from './measured.ts';
import { NO_COLUMN } from './parts.ts';

/** A cell as a key: equal keys, equal cells. Null is missing. */
type Cell = number | string | null;

/** Percent, 0 to 100; NaN where `queried` has no row. */
export function duplicateRate(queried: ModelTable, real: ModelTable, columns: MeasuredColumns): number {
  let copies = 0;
  for (const isCopy of findCopies(queried, real, columns)) copies += isCopy;
  return (100 * copies) / queried.rows;
}

/** 1 for each row of `queried` that is a row of `real`, else 0. */
export function findCopies(queried: ModelTable, real: ModelTable, columns: MeasuredColumns): Uint8Array {
  const { queriedGroup } = groupRows(queried, real, columns);
  return Uint8Array.from(queriedGroup, (group) => (group < 0 ? 0 : 1));
}

/** A number for each row: equal rows have the same. */
export const numberRows = (table: ModelTable, columns: MeasuredColumns): Int32Array =>
  groupRows(table, table, columns).realGroup;

/**
 * Rows are compared column by column: rows that agree so far share a number, and (number, next cell) → number is a
 * look-up, so no row is ever written out as one text. -1 is a row of `queried` that is none of `real`.
 */
function groupRows(
  queried: ModelTable,
  real: ModelTable,
  columns: MeasuredColumns,
): { queriedGroup: Int32Array; realGroup: Int32Array } {
  const queriedGroup = new Int32Array(queried.rows).fill(real.rows > 0 ? 0 : -1);
  const realGroup = new Int32Array(real.rows);
  for (const [realCell, queriedCell] of cellReaders(queried, real, columns)) {
    const cells = new Map<Cell, number>();
    const groups = new Map<number, number>();
    for (let row = 0; row < real.rows; row++) {
      const cell = realCell(row);
      const code = cells.get(cell) ?? cells.size;
      cells.set(cell, code);
      const key = realGroup[row]! * (real.rows + 1) + code;
      const group = groups.get(key) ?? groups.size;
      groups.set(key, group);
      realGroup[row] = group;
    }
    for (let row = 0; row < queried.rows; row++) {
      if (queriedGroup[row]! < 0) continue;
      const code = cells.get(queriedCell(row));
      queriedGroup[row] = code === undefined ? -1 : (groups.get(queriedGroup[row]! * (real.rows + 1) + code) ?? -1);
    }
  }
  return { queriedGroup, realGroup };
}

/** Readers of the cells of each column, in the real table and in the queried one. */
function* cellReaders(
  queried: ModelTable,
  real: ModelTable,
  columns: MeasuredColumns,
): Generator<[(row: number) => Cell, (row: number) => Cell]> {
  for (const name of columns.numeric) {
    yield [numberReader(numericNamed(real, name).values), numberReader(numericNamed(queried, name).values)];
  }
  for (const name of columns.categorical) {
    yield [levelReader(categoryNamed(real, name)), levelReader(categoryNamed(queried, name))];
  }
  for (const name of columns.text) {
    const [realTexts, queriedTexts] = [textNamed(real, name), textNamed(queried, name)];
    yield [(row) => realTexts[row] ?? null, (row) => queriedTexts[row] ?? null];
  }
}

const numberReader =
  (values: Float64Array) =>
  (row: number): Cell => {
    const value = values[row]!;
    return Number.isFinite(value) ? value : null;
  };

const levelReader =
  (column: CategoryColumn) =>
  (row: number): Cell =>
    column.levels[column.codes[row]!] ?? null;

// Exact copies: the share of rows that equal a training row in every numeric and category column, texts left out; and of
// those that equal one that occurs once, which is somebody's. Held-out rows have some too, where rows are short.

/** For the final table; held-out rows may be those of folds. */
export const copies: Measure<Pick<PrivacyMetrics, 'exact_copies' | 'unique_copies'>> = ({ measured }) => {
  const { parts, released, columns } = measured;
  const own = { ...columns, text: [] };
  if (own.numeric.length + own.categorical.length === 0) {
    const none = { hits: 0, of: 0 };
    const empty = shareFigure({ synthetic: none, holdout: null, independent: none, swapped: none, reason: NO_COLUMN });
    return { exact_copies: empty, unique_copies: empty };
  }
  const figure = (of: (train: ModelTable) => ModelTable) => {
    const count = (queried: ModelTable, train: ModelTable) => countCopies(queried, of(train), own);
    const held = parts.flatMap(({ holdout, train }) => (holdout ? [count(holdout, train)] : []));
    return shareFigure({
      synthetic: count(released.synthetic, released.train),
      holdout: held.length > 0 ? addCounts(held) : null,
      independent: count(released.independent, released.train),
      swapped: count(released.swapped, released.train),
      reason: NO_COLUMN,
    });
  };
  const singles = new Map<ModelTable, ModelTable>();
  const uniqueRows = (train: ModelTable): ModelTable => {
    const known = singles.get(train) ?? onlyOnce(train, own);
    singles.set(train, known);
    return known;
  };
  return { exact_copies: figure((train) => train), unique_copies: figure(uniqueRows) };
};

function countCopies(queried: ModelTable, real: ModelTable, columns: MeasuredColumns): Count {
  let hits = 0;
  for (const isCopy of findCopies(queried, real, columns)) hits += isCopy;
  return { hits, of: queried.rows };
}

/** The rows that stand in a table once. */
export function onlyOnce(table: ModelTable, columns: MeasuredColumns): ModelTable {
  const groups = numberRows(table, columns);
  const counts = tally(groups);
  const rows = ascendingRows(table.rows);
  return takeRows(
    table,
    rows.filter((row) => counts.get(groups[row]!) === 1),
  );
}
