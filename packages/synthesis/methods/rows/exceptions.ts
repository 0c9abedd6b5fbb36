/**
 * Breaks relations in as many generated rows as real ones: adds an offset like the real ones or, if too few are known,
 * takes another generated row's cell. No real cell is copied.
 */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { drawNumber } from '../../disclosure/margin.ts';
import type { ModelColumn, ModelTable } from '../../models/model.ts';
import { derived, sourcesOf } from '../../plan/derive.ts';
import type { Order } from '../../plan/orders.ts';
import type { Plan } from '../../plan/plan.ts';
import { type Exceptions, isMissing, type PlannedColumn } from '../../table/modelTable.ts';
import { takeRows } from '../../table/takeRows.ts';

interface Breakable {
  /** The column to change. */
  name: string;
  exceptions: Exceptions;
  relation: string;
  /** Reference for comparison and offsets. */
  base(table: ModelTable): ModelColumn;
  isBroken(column: ModelColumn, base: ModelColumn, row: number): boolean;
}

export interface BreakHooks {
  written(column: ModelColumn, table: ModelTable): ModelColumn;
  remake(made: Map<string, ModelColumn>, name: string): void;
  /** Flags rows that keep all other rules (1 or 0). */
  isSound(table: ModelTable, relation: string): Uint8Array;
}

export const nameOfOrder = ({ of, column }: Pick<Order, 'of' | 'column'>): string => `${of} ≤ ${column}`;

/** Orders first, then derived columns after their sources. */
export function breakablesOf({ orders, columns }: Pick<Plan, 'orders' | 'columns'>): Breakable[] {
  const planned = new Map(columns.map((column) => [column.name, column]));
  // Derived columns break only their derivation.
  const free = orders.filter((order) => !planned.get(order.column)?.derivation);
  const placed = new Set<PlannedColumn>();
  const place = (column: PlannedColumn | undefined): void => {
    if (!column?.derivation || placed.has(column)) return;
    for (const source of sourcesOf(column.derivation)) place(planned.get(source));
    placed.add(column);
  };
  columns.forEach(place);
  return [...free.flatMap(ofOrder), ...[...placed].flatMap(ofDerivation)];
}

function ofOrder(order: Order): Breakable[] {
  const { of, column: name, strict, exceptions } = order;
  if (!exceptions) return [];
  const base = (table: ModelTable): ModelColumn => table.columns.get(of)!;
  const isBroken: Breakable['isBroken'] = (column, low, row) => {
    if (column.kind !== 'numeric' || low.kind !== 'numeric') return false;
    return low.values[row]! > column.values[row]! || (strict && low.values[row] === column.values[row]);
  };
  return [{ name, exceptions, relation: nameOfOrder(order), base, isBroken }];
}

function ofDerivation({ name, derivation, exceptions }: PlannedColumn): Breakable[] {
  if (!derivation || !exceptions) return [];
  const base = (table: ModelTable): ModelColumn => {
    const sources = sourcesOf(derivation).map((source) => table.columns.get(source)!);
    return derived(name, derivation, sources);
  };
  const isBroken: Breakable['isBroken'] = (column, whole, row) =>
    mayBreak(column, whole, row) && cellIn(column, row) !== cellIn(whole, row);
  return [{ name, exceptions, relation: `${name} follows`, base, isBroken }];
}

/** A missing level may break a relation; a missing number may not. */
const mayBreak = (column: ModelColumn, base: ModelColumn, row: number): boolean =>
  column.kind === 'category' || !(isMissing(column, row) || isMissing(base, row));

function cellIn(column: ModelColumn, row: number): number | string | null {
  if (column.kind === 'category') return column.levels[column.codes[row]!] ?? null;
  return column.values[row] ?? null;
}

/** Candidates per wanted row, plus MORE; few changes break an order. */
const TRIED = 20;
const MORE = 400;

export function withExceptions(
  table: ModelTable,
  relations: readonly Breakable[],
  hooks: BreakHooks,
  random: RandomStream,
): ModelTable {
  return relations.reduce((made, one) => broken(made, one, hooks, random.child(one.relation)), table);
}

function broken(table: ModelTable, one: Breakable, hooks: BreakHooks, random: RandomStream): ModelTable {
  const own = table.columns.get(one.name);
  if (!own) return table;
  const bound = hooks.written(one.base(table), table);
  const open = Array.from({ length: table.rows }, (_, row) => row).filter((row) => mayBreak(own, bound, row));
  const kept = open.filter((row) => !one.isBroken(own, bound, row));
  const expected = Math.floor(one.exceptions.share * open.length + random.child('count').uniform());
  const wanted = expected - (open.length - kept.length);
  if (wanted <= 0) return table;
  const order = shuffledRows(kept.length, random.child('rows')).subarray(0, TRIED * wanted + MORE);
  const rows = order.map((at) => kept[at]!);
  const some = takeRows(table, rows);
  const base = hooks.written(one.base(some), some);
  const column = hooks.written(displaced(some.columns.get(one.name)!, base, own, one, random.child('cells')), some);
  const moved = new Map(some.columns).set(one.name, column);
  hooks.remake(moved, one.name);
  const sound = hooks.isSound({ rows: some.rows, columns: moved }, one.relation);
  const good = [...rows.keys()].filter((at) => sound[at] === 1 && one.isBroken(column, base, at)).slice(0, wanted);
  return replaced(table, moved, rows, good);
}

function displaced(
  column: ModelColumn,
  base: ModelColumn,
  whole: ModelColumn,
  { exceptions: { offsets } }: Breakable,
  random: RandomStream,
): ModelColumn {
  if (column.kind === 'category' && whole.kind === 'category')
    return { ...column, codes: column.codes.map(() => whole.codes[random.integer(whole.codes.length)]!) };
  if (column.kind !== 'numeric' || whole.kind !== 'numeric' || base.kind !== 'numeric') return column;
  const values = column.values.map((_, row) =>
    offsets
      ? base.values[row]! + drawNumber(offsets, random.uniform(), random)
      : whole.values[random.integer(whole.values.length)]!,
  );
  return { ...column, values };
}

/** Row `at` of `tried` replaces row `rows[at]`. */
function replaced(
  table: ModelTable,
  tried: ReadonlyMap<string, ModelColumn>,
  rows: Int32Array,
  good: readonly number[],
): ModelTable {
  const columns = new Map<string, ModelColumn>();
  for (const [name, column] of table.columns) columns.set(name, withCells(column, tried.get(name), rows, good));
  return { rows: table.rows, columns };
}

function withCells(
  column: ModelColumn,
  from: ModelColumn | undefined,
  rows: Int32Array,
  good: readonly number[],
): ModelColumn {
  if (column.kind === 'numeric' && from?.kind === 'numeric') {
    const values = column.values.slice();
    for (const at of good) values[rows[at]!] = from.values[at]!;
    return { ...column, values };
  }
  if (column.kind === 'category' && from?.kind === 'category') {
    const codes = column.codes.slice();
    for (const at of good) codes[rows[at]!] = from.codes[at]!;
    return { ...column, codes };
  }
  return column;
}
