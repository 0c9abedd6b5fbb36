/**
 * Exact copies: the share of rows that equal some real row in every column, text included, in percent. Numbers are
 * compared by value, so 1.50 equals 1.5; two missing cells are equal.
 */
import type { CategoryColumn, ModelTable } from '../models/model.ts';
import { categoryNamed, type MeasuredColumns, numericNamed, textNamed } from './columns.ts';

/** A cell as a key: equal keys, equal cells. Null is missing. */
type Cell = number | string | null;

/** Percent, 0 to 100; NaN where `asked` has no row. */
export function duplicateRate(asked: ModelTable, real: ModelTable, columns: MeasuredColumns): number {
  let copies = 0;
  for (const isCopy of findCopies(asked, real, columns)) copies += isCopy;
  return (100 * copies) / asked.rows;
}

/** 1 for each row of `asked` that is a row of `real`, else 0. */
export function findCopies(asked: ModelTable, real: ModelTable, columns: MeasuredColumns): Uint8Array {
  const { askedGroup } = groupRows(asked, real, columns);
  return Uint8Array.from(askedGroup, (group) => (group < 0 ? 0 : 1));
}

/** A number for each row: equal rows have the same. */
export const numberRows = (table: ModelTable, columns: MeasuredColumns): Int32Array =>
  groupRows(table, table, columns).realGroup;

/**
 * Rows are compared column by column: rows that agree so far share a number, and (number, next cell) → number is a
 * look-up, so no row is ever written out as one text. -1 is a row of `asked` that is none of `real`.
 */
function groupRows(
  asked: ModelTable,
  real: ModelTable,
  columns: MeasuredColumns,
): { askedGroup: Int32Array; realGroup: Int32Array } {
  const askedGroup = new Int32Array(asked.rows).fill(real.rows > 0 ? 0 : -1);
  const realGroup = new Int32Array(real.rows);
  for (const [realCell, askedCell] of cellReaders(asked, real, columns)) {
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
    for (let row = 0; row < asked.rows; row++) {
      if (askedGroup[row]! < 0) continue;
      const code = cells.get(askedCell(row));
      askedGroup[row] = code === undefined ? -1 : (groups.get(askedGroup[row]! * (real.rows + 1) + code) ?? -1);
    }
  }
  return { askedGroup, realGroup };
}

/** Readers of the cells of each column, in the real table and in the one asked about. */
function* cellReaders(
  asked: ModelTable,
  real: ModelTable,
  columns: MeasuredColumns,
): Generator<[(row: number) => Cell, (row: number) => Cell]> {
  for (const name of columns.numeric) {
    yield [numberReader(numericNamed(real, name).values), numberReader(numericNamed(asked, name).values)];
  }
  for (const name of columns.categorical) {
    yield [levelReader(categoryNamed(real, name)), levelReader(categoryNamed(asked, name))];
  }
  for (const name of columns.text) {
    const [realTexts, askedTexts] = [textNamed(real, name), textNamed(asked, name)];
    yield [(row) => realTexts[row] ?? null, (row) => askedTexts[row] ?? null];
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
