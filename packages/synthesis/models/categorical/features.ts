import { z } from 'zod';
import type { Feature, FeatureTable } from '../../../numerics/trees/features.ts';
import type { ModelTable } from '../model.ts';

export const seenColumnSchema = z.object({
  name: z.string(),
  /** Levels of the fit; null for numbers. */
  levels: z.array(z.string()).nullable(),
});
export type SeenColumn = z.infer<typeof seenColumnSchema>;

/** Returns undefined for text. */
export function seenColumn(table: ModelTable, name: string): SeenColumn | undefined {
  const column = table.columns.get(name);
  if (!column) throw new RangeError(`no column ${JSON.stringify(name)}`);
  if (column.kind === 'text') return undefined;
  return { name, levels: column.kind === 'category' ? [...column.levels] : null };
}

/** Reads a column by the fit's levels. Throws RangeError if it is missing or of another kind. */
export function featureOf(seen: SeenColumn, table: ModelTable): Feature {
  const column = table.columns.get(seen.name);
  if (seen.levels === null && column?.kind === 'numeric') return { kind: 'numeric', values: column.values };
  if (seen.levels !== null && column?.kind === 'category') {
    return { kind: 'category', codes: classesOf(column, seen.levels), levels: seen.levels.length + 1 };
  }
  throw new RangeError(`the rows have no column ${JSON.stringify(seen.name)} of the kind that the model was fitted to`);
}

export const featuresOf = (given: readonly SeenColumn[], table: ModelTable): FeatureTable => ({
  rows: table.rows,
  features: given.map((seen) => featureOf(seen, table)),
});

/** Returns 0 for missing cells, k + 1 for level k, and -1 for unknown levels. */
export function classesOf(
  column: { codes: Int32Array; levels: readonly string[] },
  levels: readonly string[],
): Int32Array {
  const classOf = new Map(levels.map((level, code) => [level, code + 1]));
  const classOfCode = Int32Array.from([0, ...column.levels.map((level) => classOf.get(level) ?? -1)]);
  const { codes } = column;
  const classes = new Int32Array(codes.length);
  for (let row = 0; row < codes.length; row++) classes[row] = classOfCode[codes[row]! + 1]!;
  return classes;
}
