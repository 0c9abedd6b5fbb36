/** Finds columns that never fall below another, and models close ones by their difference. */
import type { Relation } from '../../contract/columns.ts';
import { mean } from '../../numerics/moments.ts';
import { tally } from '../../numerics/tally.ts';
import { orderIn } from '../../tables/relations/findOrders.ts';
import { quoted } from '../../words/wording.ts';
import { findGrid, gridStep } from '../disclosure/margin.ts';
import type { ModelColumn, ModelTable, NumericColumn } from '../models/model.ts';
import {
  type Difference,
  type Exceptions,
  exceptionsOf,
  exceptionWords,
  type PlannedColumn,
  type RelationHooks,
} from '../table/modelTable.ts';

/** `of` ≤ `column`; `of` < `column` if `strict`. */
export interface Order {
  of: string;
  column: string;
  strict: boolean;
  exceptions: Exceptions | null;
}

export interface GrowingTable {
  rows: number;
  columns: Map<string, ModelColumn>;
}

/** Maximum spread of a modelled difference, relative to the column's. */
const VERY_NEAR = 0.1;
/** Maximum for columns whose point masses and grid survive a sum. */
const NEAR = 0.65;
/** Minimum share of equal pairs, which the difference models as a point mass. Ignores the most frequent value. */
const OFTEN_EQUAL = 0.05;
/** Minimum share of rows in an atom, and maximum excess of the column's atoms. */
const ATOM = 0.02;
const MORE_IN_ATOMS = 0.1;
const MAX_DECIMALS = 10;

export function ordersOf(
  relations: readonly Relation[],
  table: ModelTable,
  { notes, withoutExceptions }: RelationHooks,
): Order[] {
  return relations.flatMap((relation): Order[] => {
    if (relation.kind !== 'order') return [];
    const [of, column] = [table.columns.get(relation.of), table.columns.get(relation.column)];
    if (of?.kind !== 'numeric' || column?.kind !== 'numeric') return [];
    const distances = column.values.map((value, row) => value - of.values[row]!);
    const beyond = distances.filter((distance) => distance < 0);
    if (beyond.length > 0 && (withoutExceptions || !orderIn(of.values, column.values))) return [];
    const rows = there(distances).length;
    const exceptions = exceptionsOf(beyond.length / rows, beyond);
    const order = { of: relation.of, column: relation.column, strict: !distances.includes(0), exceptions };
    if (exceptions) notes.push(noteOf(order, exceptions));
    return [order];
  });
}

const noteOf = ({ of, column }: Pick<Order, 'of' | 'column'>, exceptions: Exceptions): string =>
  `Column ${quoted(column)} is not below ${quoted(of)}, ${exceptionWords(exceptions)}.`;

/** Adds the differences to the table. Orders form no cycles, so differences form none. */
export function differencesOf(
  orders: readonly Order[],
  columns: readonly PlannedColumn[],
  table: GrowingTable,
  taken: Set<string>,
): Map<string, Difference> {
  const modelled = new Map(
    columns.flatMap((column): [string, { own: NumericColumn; decimals: number }][] => {
      const own = table.columns.get(column.name);
      return column.role === 'continuous' && !column.derivation && own?.kind === 'numeric'
        ? [[column.name, { own, decimals: column.format?.format.decimals ?? MAX_DECIMALS }]]
        : [];
    }),
  );
  const nearest = new Map<string, { of: string; share: number; values: Float64Array }>();
  for (const order of orders) {
    const [of, column] = [modelled.get(order.of), modelled.get(order.column)];
    if (!of || !column) continue;
    const values = distances(of.own, column.own, Math.max(of.decimals, column.decimals));
    const share = spreadOf(values) / spreadOf(column.own.values);
    const isNear =
      share < VERY_NEAR ||
      (share < NEAR && !hasMore(column.own.values, of.own.values, values)) ||
      equalShare(of.own.values, column.own.values) >= OFTEN_EQUAL;
    if (!isNear || share >= (nearest.get(order.column)?.share ?? Number.POSITIVE_INFINITY)) continue;
    nearest.set(order.column, { of: order.of, share, values });
  }
  return new Map(
    [...nearest].map(([column, { of, values }]): [string, Difference] => {
      const name = freeName(`${column} − ${of}`, taken);
      table.columns.set(name, { kind: 'numeric', name, values });
      return [column, { of, name, ...rangeOf(values) }];
    }),
  );
}

/** A row that breaks the order repeats the last valid difference. */
function distances(of: NumericColumn, column: NumericColumn, decimals: number): Float64Array {
  const scale = decimals < MAX_DECIMALS ? 10 ** decimals : 0;
  const known = column.values.map((value, row) => value - of.values[row]!);
  let kept = known.find((distance) => distance >= 0) ?? 0;
  return known.map((distance) => {
    if (distance >= 0) kept = distance;
    const own = distance < 0 ? kept : distance;
    return scale > 0 ? Math.round(own * scale) / scale : own;
  });
}

export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  while (taken.has(name)) name += "'";
  taken.add(name);
  return name;
}

const hasMore = (column: Float64Array, of: Float64Array, distance: Float64Array): boolean =>
  heapedShare(column) > heapedShare(distance) + MORE_IN_ATOMS || stepOf(column) > stepOf(of) * (1 + 1e-9);

const stepOf = (values: Float64Array): number => gridStep(findGrid(there(values)));

const there = (values: Float64Array): Float64Array => values.filter((value) => !Number.isNaN(value));

function heapedShare(values: Float64Array): number {
  const counts = tally(there(values));
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts.values()].reduce((sum, count) => sum + (count >= ATOM * rows ? count : 0), 0) / rows;
}

function equalShare(of: Float64Array, column: Float64Array): number {
  const counts = new Map<number, number>();
  let rows = 0;
  of.forEach((value, row) => {
    if (Number.isNaN(value) || Number.isNaN(column[row]!)) return;
    rows++;
    if (value === column[row]) counts.set(value, (counts.get(value) ?? 0) + 1);
  });
  let [equal, most] = [0, 0];
  for (const count of counts.values()) {
    equal += count;
    most = Math.max(most, count);
  }
  return (equal - most) / rows;
}

function spreadOf(values: Float64Array): number {
  const known = there(values);
  const centre = mean(known);
  return Math.sqrt(known.reduce((sum, value) => sum + (value - centre) ** 2, 0) / known.length);
}

function rangeOf(values: Float64Array): { min: number; max: number } {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}
