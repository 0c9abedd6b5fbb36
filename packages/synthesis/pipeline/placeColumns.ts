/** Columns as models made them to columns as they will be written: distances added up, numbers rounded, cells missing, what follows from others. */
import type { CellFormat } from '../../contract/columns.ts';
import { formatCell, parseCell } from '../../tables/format/cellFormat.ts';
import type { ModelColumn, NumericColumn } from '../models/model.ts';
import { derived, sourcesOf } from './derive.ts';
import { withRule } from './missingRules.ts';
import { type PlannedColumn, withMissing } from './modelTable.ts';
import type { Plan } from './plan.ts';

export type PlannedColumns = ReadonlyMap<string, PlannedColumn>;
export type MadeColumns = Map<string, ModelColumn>;

export const plannedByName = (plan: Plan): PlannedColumns =>
  new Map(plan.columns.map((column) => [column.name, column]));

/** Adds what a model made. A rule asks another column, which may be of the same role, for what it says. */
export function placeColumns(columns: readonly ModelColumn[], planned: PlannedColumns, made: MadeColumns): void {
  const whole = withDistances(columns, planned);
  const isRuled = ({ name }: ModelColumn): boolean => Boolean(planned.get(name)?.missingRule);
  const inOrder = [...whole.filter((column) => !isRuled(column)), ...whole.filter(isRuled)];
  for (const column of inOrder) made.set(column.name, finished(column, planned, made));
  measureDistances(planned, made);
}

/** Adds the columns that follow from others, where all of those are there. */
export function deriveColumns(planned: PlannedColumns, made: MadeColumns): void {
  for (const column of planned.values()) deriveInto(made, column, planned);
}

/** What the column follows from may follow from others itself, and is made first. */
function deriveInto(made: MadeColumns, { name, derivation }: PlannedColumn, planned: PlannedColumns): void {
  if (!derivation || made.has(name)) return;
  const names = sourcesOf(derivation);
  for (const source of names) deriveInto(made, planned.get(source)!, planned);
  const sources = names.flatMap((source) => made.get(source) ?? []);
  if (sources.length < names.length) return;
  made.set(name, finished(derived(name, derivation, sources), planned, made));
}

/** Columns of which the distance from another one was made: that one's number, there in every row still, and the distance. */
function withDistances(columns: readonly ModelColumn[], planned: PlannedColumns): ModelColumn[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const numbers = (name: string): Float64Array | undefined => {
    const known = byName.get(name);
    if (known) return known.kind === 'numeric' ? known.values : undefined;
    const own = planned.get(name);
    const [low, distance] = own?.difference ? [numbers(own.difference.of), byName.get(own.difference.name)] : [];
    if (!own?.difference || !low || distance?.kind !== 'numeric') return undefined;
    const { min, max } = own.difference;
    const from = inFormat(low, planned.get(own.difference.of)!.format);
    const values = distance.values.map((value, row) => from[row]! + Math.min(max, Math.max(min, value)));
    byName.set(name, { kind: 'numeric', name, values });
    return values;
  };
  for (const { name, difference } of planned.values()) if (difference) numbers(name);
  return [...byName.values()];
}

/** The distances again, from the numbers as they are written: missing where one of them is. */
export function measureDistances(planned: PlannedColumns, made: MadeColumns): void {
  for (const { name, difference } of planned.values()) {
    if (!difference || !made.has(difference.name)) continue;
    const [low, high] = [made.get(difference.of), made.get(name)];
    if (low?.kind !== 'numeric' || high?.kind !== 'numeric') continue;
    const values = high.values.map((value, row) => value - low.values[row]!);
    made.set(difference.name, { kind: 'numeric', name: difference.name, values });
  }
}

function finished(column: ModelColumn, planned: PlannedColumns, made: ReadonlyMap<string, ModelColumn>): ModelColumn {
  const own = planned.get(column.name);
  if (!own) return column;
  const written = column.kind === 'numeric' ? asWritten(column, own) : column;
  const { missingRule, indicator } = own;
  const missing = indicator === null ? undefined : made.get(indicator);
  if (!missingRule) return withMissing(written, missing);
  return withRule(written, missingRule, {
    source: made.get(missingRule.of)!,
    format: planned.get(missingRule.of)!.format,
    indicator: missing,
  });
}

/** Each number as it will be read from the file: what is measured is what is written. */
const asWritten = (column: NumericColumn, { format }: PlannedColumn): NumericColumn => ({
  ...column,
  values: inFormat(column.values, format),
});

export function inFormat(values: Float64Array, format: CellFormat | null): Float64Array {
  if (!format) return values;
  const known = new Map<number, number>();
  return values.map((value) => {
    if (Number.isNaN(value)) return value;
    const written = known.get(value) ?? parseCell(formatCell(value, format), format) ?? Number.NaN;
    if (known.size < MAX_KNOWN) known.set(value, written);
    return written;
  });
}

/** Values whose written form is remembered, at most. */
const MAX_KNOWN = 10_000;
