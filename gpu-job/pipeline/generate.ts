/** generate: synthetic rows, role by role, with missing cells and number formats as the upload had them. */
import { formatNumber } from '../../domain/table/numberFormat.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelColumn, ModelTable, Report } from '../models/model.ts';
import type { FittedRole } from './fit.ts';
import { withMissing } from './modelTable.ts';
import type { Plan, PlannedColumn } from './plan.ts';

/** A table of the plan's columns, in their order. */
export async function generateTable(
  plan: Plan,
  models: readonly FittedRole[],
  rows: number,
  random: RandomStream,
  report: Report,
): Promise<ModelTable> {
  const planned = new Map(plan.columns.map((column) => [column.name, column]));
  const made = new Map<string, ModelColumn>();
  for (const { role, fitted } of models) {
    const columns = await fitted.sample({ rows, made: { rows, columns: made }, random: random.child(role), report });
    for (const column of columns) made.set(column.name, finished(column, planned.get(column.name), made));
  }
  return { rows, columns: new Map(plan.columns.map(({ name }) => [name, made.get(name)!])) };
}

function finished(
  column: ModelColumn,
  planned: PlannedColumn | undefined,
  made: ReadonlyMap<string, ModelColumn>,
): ModelColumn {
  if (!planned) return column;
  const written = column.kind === 'numeric' ? asWritten(column, planned) : column;
  return planned.indicator === null ? written : withMissing(written, made.get(planned.indicator));
}

/** Each number as it will be read from the file: what is measured is what is written. */
function asWritten(column: ModelColumn & { kind: 'numeric' }, { profile }: PlannedColumn): ModelColumn {
  const format = profile.numbers?.format;
  if (!format) return column;
  const known = new Map<number, number>();
  const values = column.values.map((value) => {
    if (Number.isNaN(value)) return value;
    const written = known.get(value) ?? Number(formatNumber(value, format));
    if (known.size < MOST_KNOWN) known.set(value, written);
    return written;
  });
  return { ...column, values };
}

/** Values whose written form is remembered, at most. */
const MOST_KNOWN = 10_000;
