/** Columns as trees see them: numbers as they are, levels as codes of the fit, a missing cell as a level of its own. */
import { z } from 'zod';
import type { Feature, FeatureTable } from '../../../numerics/trees/features.ts';
import type { ModelTable } from '../model.ts';

export const seenColumnSchema = z.object({
  name: z.string(),
  /** Levels as they were at the fit; null for numbers. */
  levels: z.array(z.string()).nullable(),
});
export type SeenColumn = z.infer<typeof seenColumnSchema>;

/** What is to be remembered of a column, so that the same trees can be asked about another table. Undefined for text. */
export function seenColumn(table: ModelTable, name: string): SeenColumn | undefined {
  const column = table.columns.get(name);
  if (!column) throw new RangeError(`no column ${JSON.stringify(name)}`);
  if (column.kind === 'text') return undefined;
  return { name, levels: column.kind === 'category' ? [...column.levels] : null };
}

/** The column of a table, read by the levels of the fit. Throws RangeError where it is not there or of another kind. */
export function featureOf(seen: SeenColumn, table: ModelTable): Feature {
  const column = table.columns.get(seen.name);
  if (seen.levels === null && column?.kind === 'numeric') return { kind: 'numeric', values: column.values };
  if (seen.levels !== null && column?.kind === 'category') {
    return { kind: 'category', codes: classesOf(column, seen.levels), levels: seen.levels.length + 1 };
  }
  throw new RangeError(`the rows have no column ${JSON.stringify(seen.name)} of the kind that the model was fitted to`);
}

/** Several columns of a table, as `featureOf` reads each. */
export const featuresOf = (given: readonly SeenColumn[], table: ModelTable): FeatureTable => ({
  rows: table.rows,
  features: given.map((seen) => featureOf(seen, table)),
});

/** 0 for a missing cell, k + 1 for level k of `levels`, -1 for a level that is none of them. */
export function classesOf(
  column: { codes: Int32Array; levels: readonly string[] },
  levels: readonly string[],
): Int32Array {
  const classOf = new Map(levels.map((level, code) => [level, code + 1]));
  // Entry 0 is that of a missing cell, whose code is -1.
  const classOfCode = Int32Array.from([0, ...column.levels.map((level) => classOf.get(level) ?? -1)]);
  const { codes } = column;
  const classes = new Int32Array(codes.length);
  for (let row = 0; row < codes.length; row++) classes[row] = classOfCode[codes[row]! + 1]!;
  return classes;
}
