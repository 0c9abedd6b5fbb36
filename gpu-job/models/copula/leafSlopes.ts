/**
 * Within a leaf a column may still rise or fall with the number that tells most of it: a line on the scale of normal scores,
 * so that what is far out in one is far out in the other. Ranks are then those of the distances from the line.
 */
import { z } from 'zod';
import { normalCdf, normalQuantile } from '../../../numerics/special/normal.ts';
import type { JsonValue } from '../model.ts';
import { float64Schema, saveArray } from '../shared/savedArrays.ts';

export const slopesSchema = z.object({
  /** The column on the line's other axis; it is made before. */
  along: z.string(),
  /** By leaf: the line's slope, 0 where there is none, its centre, and the scores between which it was learnt. */
  slope: float64Schema,
  centre: float64Schema,
  low: float64Schema,
  high: float64Schema,
});
export type LeafSlopes = z.infer<typeof slopesSchema>;

/** (slope / standard error)² that a line needs. */
const LEAST_F = 9;
const LEAST_ROWS = 10;
/** A leaf with a heap of more than this share of all rows keeps its places: a line would smear the heap. */
const MOST_HEAP = 0.02;
/** Places nearer to an end than this count as this far from it. */
const LEAST_PLACE = 1e-7;

/** Normal score of a place. */
export const scoreOf = (place: number): number =>
  normalQuantile(Math.min(1 - LEAST_PLACE, Math.max(LEAST_PLACE, place)));

/** Rows of a column: n of each. `along`: scores of the other column, NaN where its cell is missing. */
export interface SlopeTask {
  name: string;
  leafOf: Int32Array;
  leaves: number;
  from: Float64Array;
  upTo: Float64Array;
  along: Float64Array;
}

/** Lines of the leaves that have one. */
export function fitSlopes({ name, leafOf, leaves, from, upTo, along }: SlopeTask): LeafSlopes {
  const groups: number[][] = Array.from({ length: leaves }, () => []);
  leafOf.forEach((leaf, row) => {
    groups[leaf]!.push(row);
  });
  const [slope, centre, low, high] = [0, 1, 2, 3].map(() => new Float64Array(leaves)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  groups.forEach((group, leaf) => {
    if (group.some((row) => upTo[row]! - from[row]! > MOST_HEAP)) return;
    const rows = group.filter((row) => !Number.isNaN(along[row]!));
    const x = rows.map((row) => along[row]!);
    const line = fitLine(
      x,
      rows.map((row) => scoreOf((from[row]! + upTo[row]!) / 2)),
    );
    if (!line) return;
    slope[leaf] = line.slope;
    centre[leaf] = line.centre;
    low[leaf] = Math.min(...x);
    high[leaf] = Math.max(...x);
  });
  return { along: name, slope, centre, low, high };
}

/** Least squares; undefined where there are too few rows or chance would explain the slope. */
function fitLine(x: readonly number[], y: readonly number[]): { slope: number; centre: number } | undefined {
  const n = x.length;
  if (n < LEAST_ROWS) return undefined;
  const centre = x.reduce((sum, value) => sum + value, 0) / n;
  const level = y.reduce((sum, value) => sum + value, 0) / n;
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    xx += (x[i]! - centre) ** 2;
    xy += (x[i]! - centre) * (y[i]! - level);
    yy += (y[i]! - level) ** 2;
  }
  const explained = xx > 0 ? (xy * xy) / xx : 0;
  const isClear = explained * (n - 2) > LEAST_F * (yy - explained);
  return isClear ? { slope: xy / xx, centre } : undefined;
}

/** The score by which the line lifts a row of a leaf; 0 where there is no line, or nothing to go along. */
export function liftOf({ slope, centre, low, high }: LeafSlopes, leaf: number, along: number): number {
  if (slope[leaf] === 0 || Number.isNaN(along)) return 0;
  return slope[leaf]! * (Math.min(high[leaf]!, Math.max(low[leaf]!, along)) - centre[leaf]!);
}

/** The place that lies `by` scores above another one. */
export const lifted = (place: number, by: number): number => (by === 0 ? place : normalCdf(scoreOf(place) + by));

export const saveSlopes = ({ along, slope, centre, low, high }: LeafSlopes): JsonValue => ({
  along,
  slope: saveArray(slope),
  centre: saveArray(centre),
  low: saveArray(low),
  high: saveArray(high),
});
