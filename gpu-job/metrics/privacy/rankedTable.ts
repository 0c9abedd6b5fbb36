/**
 * Rows as privacy figures measure them: each number by its rank among the real rows, 0 to 1, so that no tail and no unit
 * outweighs the others; categories 0 or 1 apart; a missing cell 1 from all that is there. The distance of two rows is
 * the mean over columns.
 */
import type { ModelColumn, ModelTable } from '../../models/model.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed, present } from '../columns.ts';
import { layOut, MISSING_NUMBER } from '../distanceToClosestRecord.ts';
import { type Points, PointTree } from '../nearestPoint.ts';
import { countBelow } from '../rocAuc.ts';

/** Replaces the numbers of tables by their ranks among those of `reference`. */
export function rankTables(
  reference: readonly ModelTable[],
  tables: readonly ModelTable[],
  columns: MeasuredColumns,
): ModelTable[] {
  const sorted = new Map(columns.numeric.map((name) => [name, sortedReal(reference, name)]));
  const ranked = (table: ModelTable): ModelTable => {
    const out = new Map<string, ModelColumn>(columns.categorical.map((name) => [name, table.columns.get(name)!]));
    for (const name of columns.numeric) {
      const values = ranksIn(sorted.get(name)!, numericNamed(table, name).values);
      out.set(name, { kind: 'numeric', name, values });
    }
    return { rows: table.rows, columns: out };
  };
  return tables.map(ranked);
}

function sortedReal(reference: readonly ModelTable[], name: string): Float64Array {
  const parts = reference.map((table) => present(numericNamed(table, name).values));
  const out = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out.sort();
}

/** Mean of the places of those equal, over all; just outside 0 … 1 for what is below or above them all. NaN is missing. */
function ranksIn(sorted: Float64Array, values: Float64Array): Float64Array {
  const n = sorted.length;
  const [least, most] = [sorted[0] ?? 0, sorted[n - 1] ?? 0];
  return values.map((value) => {
    if (!Number.isFinite(value)) return Number.NaN;
    if (value < least || value > most || n === 0) return value < least ? -0.01 : 1.01;
    return (countBelow(sorted, value, false) + countBelow(sorted, value, true)) / (2 * n);
  });
}

/** Exact nearest neighbours of rows of one table among those of another. */
export interface Neighbours {
  nearest(row: number): number;
  nearestRow(row: number): { row: number; distance: number };
  nearestTwo(row: number): { row: number; distance: number; second: number };
}

/** @param asked, real ranked tables. Distances are means over columns, 0 to 1; Infinity where `real` is empty. */
export function neighboursOf(asked: ModelTable, real: ModelTable, columns: MeasuredColumns): Neighbours {
  const coordinates = (table: ModelTable, name: string): Float64Array =>
    numericNamed(table, name).values.map((rank) => (Number.isNaN(rank) ? MISSING_NUMBER : rank));
  const placed = layOut(asked.rows, real.rows, [
    ...columns.numeric.map((name) => [coordinates(asked, name), coordinates(real, name)]),
    ...columns.categorical.map((name) => jointCodes([categoryNamed(asked, name), categoryNamed(real, name)]).codes),
  ]);
  const { asked: questions, real: points, width } = placed;
  return asking(new PointTree(points, width), questions, width);
}

function asking(tree: PointTree, questions: Points, width: number): Neighbours {
  return {
    nearest: (row) => tree.nearest(questions, row) / width,
    nearestRow: (row) => {
      const found = tree.nearestRow(questions, row);
      return { row: found.row, distance: found.distance / width };
    },
    nearestTwo: (row) => {
      const found = tree.nearestTwo(questions, row);
      return { row: found.row, distance: found.distance / width, second: found.second / width };
    },
  };
}

export const widthOf = ({ numeric, categorical }: MeasuredColumns): number => numeric.length + categorical.length;
