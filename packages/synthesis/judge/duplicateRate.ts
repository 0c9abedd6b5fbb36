/**
 * Percentage of rows that equal a real row in every column, including text. Numbers compare by value, and missing cells
 * are equal.
 */

import { ascendingRows } from '../../numerics/rows.ts';
import { tally } from '../../numerics/tally.ts';
import type { CategoryColumn, ModelTable } from '../models/model.ts';
import { takeRows } from '../table/takeRows.ts';
import { categoryNamed, type MeasuredColumns, numericNamed, textNamed } from './columns.ts';

/** 0 to 100; NaN without rows. */
export function duplicateRate(queried: ModelTable, real: ModelTable, columns: MeasuredColumns): number {
  let copies = 0;
  for (const isCopy of findCopies(queried, real, columns)) copies += isCopy;
  return (100 * copies) / queried.rows;
}

/** 1 for rows that occur in `real`, else 0. */
export const findCopies = (queried: ModelTable, real: ModelTable, columns: MeasuredColumns): Uint8Array =>
  findCopiesIn([queried], real, columns)[0]!;

export function findCopiesIn(queried: readonly ModelTable[], real: ModelTable, columns: MeasuredColumns): Uint8Array[] {
  const { queriedGroups } = groupRows(queried, real, columns);
  return queriedGroups.map((groups) => Uint8Array.from(groups.map((group) => (group < 0 ? 0 : 1))));
}

/** Equal rows share a number. */
export const numberRows = (table: ModelTable, columns: MeasuredColumns): Int32Array =>
  groupRows([], table, columns).realGroup;

/** Refines groups column by column, so rows are never joined to text. -1 for rows not in `real`. */
export function groupRows(
  queried: readonly ModelTable[],
  real: ModelTable,
  columns: MeasuredColumns,
): { queriedGroups: Int32Array[]; realGroup: Int32Array } {
  const queriedGroups = queried.map(({ rows }) => new Int32Array(rows).fill(real.rows > 0 ? 0 : -1));
  const realGroup = new Int32Array(real.rows);
  for (const cellsOf of cellReaders(columns)) {
    const cells = new Map<Cell, number>();
    const groups = new Map<number, number>();
    const keyOf = (group: number, code: number): number => group * (real.rows + 1) + code;
    const realCell = codeReader(cellsOf(real), (cell) => {
      const code = cells.get(cell) ?? cells.size;
      cells.set(cell, code);
      return code;
    });
    for (let row = 0; row < real.rows; row++) {
      const key = keyOf(realGroup[row]!, realCell(row));
      const group = groups.get(key) ?? groups.size;
      groups.set(key, group);
      realGroup[row] = group;
    }
    for (const [at, table] of queried.entries()) {
      const own = queriedGroups[at]!;
      const queriedCell = codeReader(cellsOf(table), (cell) => cells.get(cell) ?? -1);
      for (let row = 0; row < table.rows; row++) {
        if (own[row]! < 0) continue;
        const code = queriedCell(row);
        own[row] = code < 0 ? -1 : (groups.get(keyOf(own[row]!, code)) ?? -1);
      }
    }
  }
  return { queriedGroups, realGroup };
}

/** Null is missing. */
type Cell = number | string | null;

type Cells = { at(row: number): Cell } | Pick<CategoryColumn, 'levels' | 'codes'>;

const cellReaders = ({ numeric, categorical, text }: MeasuredColumns): ((table: ModelTable) => Cells)[] => [
  ...numeric.map((name) => (table: ModelTable): Cells => {
    const { values } = numericNamed(table, name);
    return { at: (row) => (Number.isFinite(values[row]!) ? values[row]! : null) };
  }),
  ...categorical.map(
    (name) =>
      (table: ModelTable): Cells =>
        categoryNamed(table, name),
  ),
  ...text.map((name) => (table: ModelTable): Cells => {
    const texts = textNamed(table, name);
    return { at: (row) => texts[row] ?? null };
  }),
];

const UNSEEN = -2;

/** Looks up each level once, so codes never outnumber rows. */
function codeReader(cells: Cells, codeOf: (cell: Cell) => number): (row: number) => number {
  if ('at' in cells) return (row) => codeOf(cells.at(row));
  const { levels, codes } = cells;
  const known = new Int32Array(levels.length + 1).fill(UNSEEN);
  return (row) => {
    const at = codes[row]! + 1;
    if (known[at] === UNSEEN) known[at] = codeOf(levels[at - 1] ?? null);
    return known[at]!;
  };
}

export const onlyOnce = (table: ModelTable, columns: MeasuredColumns): ModelTable => sharedByFewer(2, table, columns);

export function sharedByFewer(most: number, table: ModelTable, columns: MeasuredColumns): ModelTable {
  const groups = numberRows(table, columns);
  const counts = tally(groups);
  const rows = ascendingRows(table.rows);
  return takeRows(
    table,
    rows.filter((row) => counts.get(groups[row]!)! < most),
  );
}
