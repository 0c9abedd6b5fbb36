/**
 * Rows that break an order after many draws. Their two numbers change places where each column can write the other's: the
 * margins stay nearly as they are. Elsewhere the upper number moves up by a distance that other rows have.
 */

import type { CellFormat } from '../../contract/columns.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { Order } from './orders.ts';
import { inFormat, type MadeColumns, measureDistances, type PlannedColumns } from './placeColumns.ts';

/** Repairs the columns of the orders in place. Columns that are made from others are left as they are. */
export function repairOrders(
  orders: readonly Order[],
  planned: PlannedColumns,
  made: MadeColumns,
  random: RandomStream,
): void {
  const inOrder = ascending(orders);
  // As in sorting by exchange, a number may have to pass all others.
  for (let pass = 0; pass < orders.length; pass++) {
    const swapped = inOrder.map((order) => swapBroken(order, planned, made));
    if (!swapped.includes(true)) break;
  }
  for (const order of inOrder) moveBroken(order, planned, made, random);
  measureDistances(planned, made);
}

/** Each order after those on which its lower column is the upper one: a number that has moved moves no more. */
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

/** True where some numbers changed places. */
function swapBroken(order: Order, planned: PlannedColumns, made: MadeColumns): boolean {
  const [of, column] = [made.get(order.of), made.get(order.column)];
  const [low, high] = [planned.get(order.of), planned.get(order.column)];
  if (of?.kind !== 'numeric' || column?.kind !== 'numeric' || low?.derivation || high?.derivation) return false;
  const rows: number[] = [];
  for (let row = 0; row < of.values.length; row++) if (of.values[row]! > column.values[row]!) rows.push(row);
  if (rows.length === 0) return false;
  const [from, upTo] = [of.values.slice(), column.values.slice()];
  const asLow = inFormat(
    Float64Array.from(rows, (row) => upTo[row]!),
    low?.format ?? null,
  );
  const asHigh = inFormat(
    Float64Array.from(rows, (row) => from[row]!),
    high?.format ?? null,
  );
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

/** The number `distance` away as the column writes it, a step further where rounding brings it back. */
function moved(start: number, distance: number, format: CellFormat | null, breaks: (value: number) => boolean): number {
  const written = (value: number): number => inFormat(Float64Array.of(value), format)[0]!;
  const value = written(start + distance);
  if (!breaks(value)) return value;
  const step = format ? 10 ** -Math.min(format.format.decimals, MAX_DECIMALS) : 0;
  return written(value + (distance < 0 ? -step : step));
}

const MAX_DECIMALS = 10;
