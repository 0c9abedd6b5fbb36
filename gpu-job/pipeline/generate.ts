/** generate: synthetic rows, role by role, with missing cells and number formats as the upload had them. */
import { redress, undress } from '../../domain/dress/dress.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelColumn, ModelTable, Report } from '../models/model.ts';
import { derived } from './derive.ts';
import type { FittedRole } from './fit.ts';
import { withRule } from './gapRules.ts';
import { withMissing } from './modelTable.ts';
import type { Plan, PlannedColumn } from './plan.ts';

type PlannedColumns = ReadonlyMap<string, PlannedColumn>;

/** A table of the plan's columns, and of the indicators that say where and how their cells are missing. */
export async function generateTable(
  plan: Plan,
  models: readonly FittedRole[],
  rows: number,
  random: RandomStream,
  report: Report,
): Promise<ModelTable> {
  const planned: PlannedColumns = new Map(plan.columns.map((column) => [column.name, column]));
  const made = new Map<string, ModelColumn>();
  // A rule asks another column, which may be of the same role, for what it says.
  const isRuled = ({ name }: ModelColumn): boolean => Boolean(planned.get(name)?.gapRule);
  for (const { role, fitted } of models) {
    const columns = await fitted.sample({ rows, made: { rows, columns: made }, random: random.child(role), report });
    const inOrder = [...columns.filter((column) => !isRuled(column)), ...columns.filter(isRuled)];
    for (const column of inOrder) made.set(column.name, finished(column, planned, made));
  }
  for (const column of plan.columns) deriveInto(made, column, planned);
  return { rows, columns: made };
}

/** What the column follows from may follow from another one itself, and is made first. */
function deriveInto(made: Map<string, ModelColumn>, column: PlannedColumn, planned: PlannedColumns): void {
  const { name, derivation } = column;
  if (!derivation || made.has(name)) return;
  deriveInto(made, planned.get(derivation.of)!, planned);
  made.set(name, finished(derived(name, derivation, made.get(derivation.of)!), planned, made));
}

function finished(column: ModelColumn, planned: PlannedColumns, made: ReadonlyMap<string, ModelColumn>): ModelColumn {
  const own = planned.get(column.name);
  if (!own) return column;
  const written = column.kind === 'numeric' ? asWritten(column, own) : column;
  const { gapRule, indicator } = own;
  const gaps = indicator === null ? undefined : made.get(indicator);
  if (!gapRule) return withMissing(written, gaps);
  return withRule(written, gapRule, {
    source: made.get(gapRule.of)!,
    dress: planned.get(gapRule.of)!.dress,
    indicator: gaps,
  });
}

/** Each number as it will be read from the file: what is measured is what is written. */
function asWritten(column: ModelColumn & { kind: 'numeric' }, { dress }: PlannedColumn): ModelColumn {
  if (!dress) return column;
  const known = new Map<number, number>();
  const values = column.values.map((value) => {
    if (Number.isNaN(value)) return value;
    const written = known.get(value) ?? undress(redress(value, dress), dress) ?? Number.NaN;
    if (known.size < MOST_KNOWN) known.set(value, written);
    return written;
  });
  return { ...column, values };
}

/** Values whose written form is remembered, at most. */
const MOST_KNOWN = 10_000;
