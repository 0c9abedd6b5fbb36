/** Tables that stand beside a synthetic one: what no model at all would give, and what hardly differs from copying. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelColumn, ModelTable } from '../models/model.ts';
import { takeRows } from './columns.ts';
import { sampleRows } from './sampleRows.ts';

/** Each cell drawn from its own column: every margin is right, and no dependence is left. */
export function independentColumns(train: ModelTable, rows: number, random: RandomStream): ModelTable {
  const made = train.rows > 0 ? rows : 0;
  return eachColumn(train, made, (column) => {
    const stream = random.child(column.name);
    return Int32Array.from({ length: made }, () => stream.integer(train.rows));
  });
}

/**
 * Real rows (random ones where fewer are asked for than there are, else all of them over and over), a tenth of the
 * cells of each column exchanged among themselves.
 */
export function swappedTenth(train: ModelTable, rows: number, random: RandomStream): ModelTable {
  const made = train.rows > 0 ? rows : 0;
  const base = takeRows(
    train,
    made < train.rows
      ? sampleRows(train.rows, made, random.child(''))
      : Int32Array.from({ length: made }, (_, row) => row % train.rows),
  );
  return eachColumn(base, made, (column) => {
    const stream = random.child(column.name);
    const chosen = sampleRows(made, Math.round(made / 10), stream);
    const order = Int32Array.from({ length: made }, (_, row) => row);
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
