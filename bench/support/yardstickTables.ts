/** Tables that stand beside a synthetic one: what no model at all would give, and what hardly differs from copying. */
import { takeRows } from '../../gpu-job/metrics/columns.ts';
import { sampleRows } from '../../gpu-job/metrics/sampleRows.ts';
import type { ModelColumn, ModelTable } from '../../gpu-job/models/model.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';

/** Each cell drawn from its own column: every margin is right, and no dependence is left. */
export function independentColumns(train: ModelTable, rows: number, random: RandomStream): ModelTable {
  return eachColumn(train, rows, (column) => {
    const stream = random.child(column.name);
    return Int32Array.from({ length: rows }, () => stream.integer(train.rows));
  });
}

/** Real rows, a tenth of the cells of each column exchanged among themselves. */
export function swappedTenth(train: ModelTable, rows: number, random: RandomStream): ModelTable {
  const base = takeRows(
    train,
    Int32Array.from({ length: rows }, (_, row) => row % train.rows),
  );
  return eachColumn(base, rows, (column) => {
    const stream = random.child(column.name);
    const chosen = sampleRows(rows, Math.round(rows / 10), stream);
    const order = Int32Array.from({ length: rows }, (_, row) => row);
    for (let i = chosen.length - 1; i > 0; i--) {
      const [a, b] = [chosen[i]!, chosen[stream.integer(i + 1)]!];
      [order[a], order[b]] = [order[b]!, order[a]!];
    }
    return order;
  });
}

/** A table whose columns take their cells from rows of their own. */
function eachColumn(table: ModelTable, rows: number, rowsOf: (column: ModelColumn) => Int32Array): ModelTable {
  const columns = [...table.columns].map(([name, column]): [string, ModelColumn] => {
    const alone = { rows: table.rows, columns: new Map([[name, column]]) };
    return [name, takeRows(alone, rowsOf(column)).columns.get(name) ?? column];
  });
  return { rows, columns: new Map(columns) };
}
