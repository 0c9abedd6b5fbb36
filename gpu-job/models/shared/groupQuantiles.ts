/**
 * How a column lies within groups of rows, by quantiles of equal steps, and places carried over to them: rows keep their
 * order within a group.
 */
import { z } from 'zod';
import type { JsonValue } from '../model.ts';
import { float64Schema, int32Schema, saveArray } from './savedArrays.ts';

/** Group `groups[i]` has the quantiles `quantiles[i (KNOTS + 1)]` …, of equal steps. */
export const groupQuantilesSchema = z.object({ groups: int32Schema, quantiles: float64Schema });
export type GroupQuantiles = z.infer<typeof groupQuantilesSchema>;

const KNOTS = 32;
/** Rows with a place (it is not NaN) by group. */
function rowsByGroup(groupOf: Int32Array, places: Float64Array): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  groupOf.forEach((group, row) => {
    if (Number.isNaN(places[row]!)) return;
    const own = rows.get(group);
    if (own) own.push(row);
    else rows.set(group, [row]);
  });
  return rows;
}

/**
 * Of groups with `least` rows, the `most` largest; null where there is none, or all rows are of one group.
 * @param places n, on [0, 1], NaN where the cell is missing.
 */
export function fitGroupQuantiles(
  groupOf: Int32Array,
  places: Float64Array,
  { least, most }: { least: number; most: number },
): GroupQuantiles | null {
  const groups = rowsByGroup(groupOf, places);
  const kept = [...groups]
    .filter(([, rows]) => rows.length >= least)
    .sort(([a, one], [b, other]) => other.length - one.length || a - b)
    .slice(0, most);
  // Of one group alone the margin says it all.
  if (kept.length === 0 || groups.size === 1) return null;
  const quantiles = kept.flatMap(([, rows]) => [...knotsOf(Float64Array.from(rows, (row) => places[row]!).sort())]);
  return { groups: Int32Array.from(kept, ([group]) => group), quantiles: Float64Array.from(quantiles) };
}

/** Brings the places of each group of `least` rows, in `places` itself, to the quantiles that it has in the data; NaN stays. */
export function rakeGroups(
  places: Float64Array,
  groupOf: Int32Array,
  { groups, quantiles }: GroupQuantiles,
  least: number,
): void {
  const rowsOf = rowsByGroup(groupOf, places);
  groups.forEach((group, i) => {
    const rows = rowsOf.get(group);
    if (!rows || rows.length < least) return;
    const own = knotsOf(Float64Array.from(rows, (row) => places[row]!).sort());
    const real = quantiles.subarray(i * (KNOTS + 1), (i + 1) * (KNOTS + 1));
    for (const row of rows) places[row] = between(own, real, places[row]!);
  });
}

function knotsOf(sorted: Float64Array): Float64Array {
  const last = sorted.length - 1;
  return Float64Array.from({ length: KNOTS + 1 }, (_, k) => {
    const at = (k / KNOTS) * last;
    const low = Math.floor(at);
    return sorted[low]! + (at - low) * (sorted[Math.min(last, low + 1)]! - sorted[low]!);
  });
}

/** x carried over from one line of knots to the other, both ascending. */
function between(own: Float64Array, real: Float64Array, x: number): number {
  let k = 0;
  while (k < KNOTS - 1 && own[k + 1]! < x) k++;
  const width = own[k + 1]! - own[k]!;
  const share = width > 0 ? Math.min(1, Math.max(0, (x - own[k]!) / width)) : 0.5;
  return real[k]! + share * (real[k + 1]! - real[k]!);
}

export const saveGroupQuantiles = ({ groups, quantiles }: GroupQuantiles): JsonValue => ({
  groups: saveArray(groups),
  quantiles: saveArray(quantiles),
});
