/** Rows that break an order after many draws: the number above moves up by a distance that other rows have. */
import type { Dress } from '../../domain/dress/dress.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { Order } from './orders.ts';
import { inDress, type MadeColumns, measureDistances, type PlannedColumns } from './placeColumns.ts';

/** Mends the columns of the orders in place of the old ones. Columns that are made from others are left as they are. */
export function repairOrders(
  orders: readonly Order[],
  planned: PlannedColumns,
  made: MadeColumns,
  random: RandomStream,
): void {
  for (const order of ascending(orders)) repairOrder(order, planned, made, random);
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

function repairOrder(order: Order, planned: PlannedColumns, made: MadeColumns, random: RandomStream): void {
  const [of, column] = [made.get(order.of), made.get(order.column)];
  if (of?.kind !== 'numeric' || column?.kind !== 'numeric') return;
  const isBroken = (low: number, high: number): boolean => low > high || (order.strict && low === high);
  const broken: number[] = [];
  const distances: number[] = [];
  for (let row = 0; row < of.values.length; row++) {
    const distance = column.values[row]! - of.values[row]!;
    if (isBroken(of.values[row]!, column.values[row]!)) broken.push(row);
    else if (!Number.isNaN(distance)) distances.push(distance);
  }
  if (broken.length === 0) return;
  const distance = (): number => (distances.length > 0 ? distances[random.integer(distances.length)]! : 0);
  const [low, high] = [planned.get(order.of), planned.get(order.column)];
  const [from, upTo] = [of.values.slice(), column.values.slice()];
  for (const row of broken) {
    if (!high?.derivation)
      upTo[row] = moved(from[row]!, distance(), high?.dress ?? null, (x) => isBroken(from[row]!, x));
    else if (!low?.derivation)
      from[row] = moved(upTo[row]!, -distance(), low?.dress ?? null, (x) => isBroken(x, upTo[row]!));
  }
  made.set(order.of, { ...of, values: from });
  made.set(order.column, { ...column, values: upTo });
}

/** The number `distance` away as the column writes it, a step further where rounding brings it back. */
function moved(start: number, distance: number, dress: Dress | null, isBroken: (value: number) => boolean): number {
  const written = (value: number): number => inDress(Float64Array.of(value), dress)[0]!;
  const value = written(start + distance);
  if (!isBroken(value)) return value;
  const step = dress ? 10 ** -Math.min(dress.format.decimals, MOST_DECIMALS) : 0;
  return written(value + (distance < 0 ? -step : step));
}

const MOST_DECIMALS = 10;
