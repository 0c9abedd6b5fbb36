/**
 * Accuracy of one-, two- and three-way tables: 1 − total variation distance of the counts of binned cells, mean over
 * columns, pairs and triples of columns (the measure of TabularARGN and of mostlyai-qa). The figures fall with fewer
 * rows, so tables are compared at the same number of rows as the real ones beside them.
 */
import { BINS, type EncodedTable } from './encodeTables.ts';
import { totalVariation } from './totalVariation.ts';

/** Columns by their place in the table: one, two or three of them. */
export type Combination = readonly number[];

/** Counts of the joint bins of some columns: BINS^k cells. */
export function countCells({ rows, columns }: EncodedTable, combination: Combination): Int32Array {
  const counts = new Int32Array(BINS ** combination.length);
  const bins = combination.map((column) => columns[column]!.bins);
  // Columns that are not asked for have one bin.
  const none = new Uint8Array(rows);
  const [a, b, c] = [bins.at(-3) ?? none, bins.at(-2) ?? none, bins.at(-1) ?? none];
  for (let row = 0; row < rows; row++) counts[(a[row]! * BINS + b[row]!) * BINS + c[row]!]!++;
  return counts;
}

/** Mean distance over combinations; undefined where there is none, or a table has no row. */
export function meanVariation(real: readonly Int32Array[], other: readonly Int32Array[]): number | undefined {
  if (real.length === 0) return undefined;
  let sum = 0;
  for (const [at, counts] of real.entries()) {
    const distance = totalVariation(counts, other[at]!);
    if (distance === undefined) return undefined;
    sum += distance;
  }
  return sum / real.length;
}
