/**
 * A target under a condition: X is made given that the condition is met, and y given X by the model, which knows nothing
 * of the condition; so y is drawn again, for the same X, until it meets it: p(X | met) p(y | X, met).
 */
import { takeRows } from '../metrics/columns.ts';
import type { FittedModel, SampleTask } from '../models/model.ts';
import { type Batch, cellTest } from './conditions.ts';
import { type MadeColumns, type PlannedColumns, placeColumns } from './placeColumns.ts';

/** Draws for one row, at most: then the row is given up. */
const MOST_DRAWS = 20;

/** Replaces the targets that no condition allows. */
export async function redrawTarget(
  fitted: FittedModel,
  { allowed }: Batch,
  { made: table, random, report }: SampleTask,
  planned: PlannedColumns,
  made: MadeColumns,
): Promise<void> {
  const target = [...planned.values()].find(({ role, derivation }) => role === 'target' && !derivation);
  const condition = target && allowed.get(target.name);
  if (!condition) return;
  for (let draw = 1; draw <= MOST_DRAWS; draw++) {
    const column = made.get(target.name)!;
    if (column.kind !== 'numeric') return;
    const isAllowed = cellTest(condition, column);
    const rows: number[] = [];
    for (let row = 0; row < table.rows; row++) if (!isAllowed(row)) rows.push(row);
    if (rows.length === 0) return;
    const some = takeRows(table, Int32Array.from(rows));
    const again = new Map(some.columns);
    const columns = await fitted.sample({
      rows: rows.length,
      made: some,
      random: random.child(`draw ${draw}`),
      report,
    });
    placeColumns(columns, planned, again);
    const drawn = again.get(target.name);
    if (drawn?.kind !== 'numeric') return;
    const values = column.values.slice();
    rows.forEach((row, i) => {
      values[row] = drawn.values[i]!;
    });
    made.set(target.name, { ...column, values });
  }
}
