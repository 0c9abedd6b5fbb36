/** Which category column says where a column of numbers has no cell, so that what is made asks the same as was learnt. */
import { z } from 'zod';
import type { CategoryColumn, ModelTable, NumericColumn } from '../model.ts';

export const gapSchema = z.object({
  name: z.string(),
  /** The level that says that the cell is there. */
  there: z.string(),
});
export type Gap = z.infer<typeof gapSchema>;

/** The first indicator of `names` that agrees with the column in every row; null where no cell is missing, or none does. */
export function gapOf(column: NumericColumn, table: ModelTable, names: readonly string[]): Gap | null {
  if (!column.values.some(Number.isNaN)) return null;
  for (const name of names) {
    const indicator = table.columns.get(name);
    if (indicator?.kind !== 'category' || !indicator.indicator) continue;
    const [there] = indicator.levels;
    const agrees = indicator.codes.every((code, row) => (code === 0) !== Number.isNaN(column.values[row]!));
    if (agrees && there !== undefined) return { name, there };
  }
  return null;
}

/** NaN in the rows of `values` in which the cell will be missing. */
export function hideGaps(values: Float64Array, gap: Gap | null, made: ModelTable['columns']): Float64Array {
  const indicator = gap && made.get(gap.name);
  if (indicator?.kind !== 'category') return values;
  const code = codeOf(indicator, gap!.there);
  return values.map((value, row) => (indicator.codes[row] === code ? value : Number.NaN));
}

const codeOf = ({ levels }: CategoryColumn, level: string): number => levels.indexOf(level);
