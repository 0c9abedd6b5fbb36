/** Turns model output into written columns: adds differences, rounds, masks missing cells, derives and repairs. */
import type { CellFormat } from '../../contract/columns.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { takeNumbers } from '../../numerics/rows.ts';
import { formatCell, parseCell } from '../../tables/format/cellFormat.ts';
import type { ModelColumn, NumericColumn } from '../models/model.ts';
import { derived, sourcesOf } from '../plan/derive.ts';
import { withRule } from '../plan/missingRules.ts';
import type { Order } from '../plan/orders.ts';
import type { Plan } from '../plan/plan.ts';
import { type PlannedColumn, withMissing } from '../table/modelTable.ts';

export type PlannedColumns = ReadonlyMap<string, PlannedColumn>;
export type MadeColumns = Map<string, ModelColumn>;

export const plannedByName = (plan: Plan): PlannedColumns =>
  new Map(plan.columns.map((column) => [column.name, column]));

/** Columns with a rule come last, since it may read the others. */
export function placeColumns(columns: readonly ModelColumn[], planned: PlannedColumns, made: MadeColumns): void {
  const whole = withDistances(columns, planned);
  const isRuled = ({ name }: ModelColumn): boolean => Boolean(planned.get(name)?.missingRule);
  const inOrder = [...whole.filter((column) => !isRuled(column)), ...whole.filter(isRuled)];
  for (const column of inOrder) made.set(column.name, finished(column, planned, made));
  measureDistances(planned, made);
}

export function deriveColumns(planned: PlannedColumns, made: MadeColumns): void {
  for (const column of planned.values()) deriveInto(made, column, planned);
}

function deriveInto(made: MadeColumns, { name, derivation }: PlannedColumn, planned: PlannedColumns): void {
  if (!derivation || made.has(name)) return;
  const names = sourcesOf(derivation);
  for (const source of names) deriveInto(made, planned.get(source)!, planned);
  const sources = names.flatMap((source) => made.get(source) ?? []);
  if (sources.length < names.length) return;
  made.set(name, finished(derived(name, derivation, sources), planned, made));
}

/** Recomputes, in place, what depends on the column. */
export function remakeFrom(name: string, planned: PlannedColumns, made: MadeColumns): void {
  const follows = (column: PlannedColumn): boolean =>
    column.derivation !== null &&
    sourcesOf(column.derivation).some((source) => source === name || follows(planned.get(source)!));
  for (const column of planned.values()) if (follows(column)) made.delete(column.name);
  deriveColumns(planned, made);
  measureDistances(planned, made);
}

/** Adds distances to the lower column, which has no missing cells yet. */
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

function measureDistances(planned: PlannedColumns, made: MadeColumns): void {
  for (const { name, difference } of planned.values()) {
    if (!difference || !made.has(difference.name)) continue;
    const [low, high] = [made.get(difference.of), made.get(name)];
    if (low?.kind !== 'numeric' || high?.kind !== 'numeric') continue;
    const values = high.values.map((value, row) => value - low.values[row]!);
    made.set(difference.name, { kind: 'numeric', name: difference.name, values });
  }
}

export function finished(
  column: ModelColumn,
  planned: PlannedColumns,
  made: ReadonlyMap<string, ModelColumn>,
): ModelColumn {
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

/** Rounds as written, so that figures measure the written table. */
const asWritten = (column: NumericColumn, { format }: PlannedColumn): NumericColumn => ({
  ...column,
  values: inFormat(column.values, format),
});

function inFormat(values: Float64Array, format: CellFormat | null): Float64Array {
  if (!format) return values;
  const known = new Map<number, number>();
  return values.map((value) => {
    if (Number.isNaN(value)) return value;
    const written = known.get(value) ?? parseCell(formatCell(value, format), format) ?? Number.NaN;
    if (known.size < MAX_KNOWN) known.set(value, written);
    return written;
  });
}

const MAX_KNOWN = 10_000;

/**
 * Repairs orders in place: swaps two numbers if their formats allow it, which nearly preserves the margins, or adds
 * another row's distance.
 */
export function repairOrders(
  orders: readonly Order[],
  planned: PlannedColumns,
  made: MadeColumns,
  random: RandomStream,
): void {
  const inOrder = ascending(orders);
  // As in exchange sort, a number may have to pass all others.
  for (let pass = 0; pass < orders.length; pass++) {
    const swapped = inOrder.map((order) => swapBroken(order, planned, made));
    if (!swapped.includes(true)) break;
  }
  for (const order of inOrder) moveBroken(order, planned, made, random);
  measureDistances(planned, made);
}

/** Sorts bottom-up, so that a moved number stays. */
function ascending(orders: readonly Order[]): Order[] {
  const out: Order[] = [];
  const placed = new Set<Order>();
  const place = (order: Order): void => {
    if (placed.has(order)) return;
    placed.add(order);
    for (const below of orders) if (below.column === order.of) place(below);
    out.push(order);
  };
  orders.forEach(place);
  return out;
}

const isBroken = (low: number, high: number, strict: boolean): boolean => low > high || (strict && low === high);

function swapBroken(order: Order, planned: PlannedColumns, made: MadeColumns): boolean {
  const [of, column] = [made.get(order.of), made.get(order.column)];
  const [low, high] = [planned.get(order.of), planned.get(order.column)];
  if (of?.kind !== 'numeric' || column?.kind !== 'numeric' || low?.derivation || high?.derivation) return false;
  const rows: number[] = [];
  for (let row = 0; row < of.values.length; row++) if (of.values[row]! > column.values[row]!) rows.push(row);
  if (rows.length === 0) return false;
  const [from, upTo] = [of.values.slice(), column.values.slice()];
  const asLow = inFormat(takeNumbers(upTo, rows), low?.format ?? null);
  const asHigh = inFormat(takeNumbers(from, rows), high?.format ?? null);
  let swapped = false;
  rows.forEach((row, i) => {
    if (asLow[i] !== upTo[row] || asHigh[i] !== from[row]) return;
    [from[row], upTo[row]] = [asLow[i]!, asHigh[i]!];
    swapped = true;
  });
  made.set(order.of, { ...of, values: from });
  made.set(order.column, { ...column, values: upTo });
  return swapped;
}

function moveBroken(order: Order, planned: PlannedColumns, made: MadeColumns, random: RandomStream): void {
  const [of, column] = [made.get(order.of), made.get(order.column)];
  if (of?.kind !== 'numeric' || column?.kind !== 'numeric') return;
  const breaks = (from: number, upTo: number): boolean => isBroken(from, upTo, order.strict);
  const broken: number[] = [];
  const distances: number[] = [];
  for (let row = 0; row < of.values.length; row++) {
    const distance = column.values[row]! - of.values[row]!;
    if (breaks(of.values[row]!, column.values[row]!)) broken.push(row);
    else if (!Number.isNaN(distance)) distances.push(distance);
  }
  if (broken.length === 0) return;
  const distance = (): number => (distances.length > 0 ? distances[random.integer(distances.length)]! : 0);
  const [low, high] = [planned.get(order.of), planned.get(order.column)];
  const [from, upTo] = [of.values.slice(), column.values.slice()];
  for (const row of broken) {
    if (!high?.derivation)
      upTo[row] = moved(from[row]!, distance(), high?.format ?? null, (x) => breaks(from[row]!, x));
    else if (!low?.derivation)
      from[row] = moved(upTo[row]!, -distance(), low?.format ?? null, (x) => breaks(x, upTo[row]!));
  }
  made.set(order.of, { ...of, values: from });
  made.set(order.column, { ...column, values: upTo });
}

/** Moves a step further if rounding undoes the move. */
function moved(start: number, distance: number, format: CellFormat | null, breaks: (value: number) => boolean): number {
  const written = (value: number): number => inFormat(Float64Array.of(value), format)[0]!;
  const value = written(start + distance);
  if (!breaks(value)) return value;
  const step = format ? 10 ** -Math.min(format.format.decimals, MAX_DECIMALS) : 0;
  return written(value + (distance < 0 ? -step : step));
}

const MAX_DECIMALS = 10;
