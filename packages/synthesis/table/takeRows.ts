/** Selects rows of a table. */
import type { ModelColumn, ModelTable } from '../models/model.ts';

export function takeRows(table: ModelTable, rows: Int32Array): ModelTable {
  const columns = new Map<string, ModelColumn>();
  for (const [name, column] of table.columns) columns.set(name, takeCells(column, rows));
  return { rows: rows.length, columns };
}

function takeCells(column: ModelColumn, rows: Int32Array): ModelColumn {
  if (column.kind === 'numeric') {
    const values = new Float64Array(rows.length);
    for (let at = 0; at < rows.length; at++) values[at] = column.values[rows[at]!]!;
    return { ...column, values };
  }
  if (column.kind === 'category') return { ...column, codes: rows.map((row) => column.codes[row]!) };
  return { ...column, values: Array.from(rows, (row) => column.values[row] ?? null) };
}
