/** Which rows keep to what holds in every real row, and to the conditions of their batch: as far as their columns are made. */
import type { ModelTable } from '../models/model.ts';
import { type Batch, rowsMeeting } from './conditions.ts';
import type { Plan } from './plan.ts';

/** By row: 1 where all orders are kept and every total lies within the real ones. Missing cells break nothing. */
export function rowsInOrder({ orders, columns }: Pick<Plan, 'orders' | 'columns'>, table: ModelTable): Uint8Array {
  const kept = new Uint8Array(table.rows).fill(1);
  for (const { of, column, strict } of orders) {
    const [low, high] = [numbersOf(table, of), numbersOf(table, column)];
    if (!low || !high) continue;
    for (let row = 0; row < table.rows; row++) {
      if (low[row]! > high[row]! || (strict && low[row]! === high[row]!)) kept[row] = 0;
    }
  }
  for (const { name, derivation } of columns) {
    const total = derivation?.kind === 'sum' ? numbersOf(table, name) : undefined;
    if (!total || derivation?.kind !== 'sum') continue;
    for (let row = 0; row < table.rows; row++) {
      if (total[row]! < derivation.min || total[row]! > derivation.max) kept[row] = 0;
    }
  }
  return kept;
}

/** By row: 1 where all conditions are met. */
export const rowsWithin = (batch: Batch | null, table: ModelTable): Uint8Array =>
  batch ? rowsMeeting(batch.allowed, table) : new Uint8Array(table.rows).fill(1);

export function numbersOf(table: ModelTable, name: string): Float64Array | undefined {
  const column = table.columns.get(name);
  return column?.kind === 'numeric' ? column.values : undefined;
}
