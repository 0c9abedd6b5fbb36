/**
 * How the target lies within the leaves of a regression tree on the other columns: what a smooth regression has blurred
 * (steps, products of columns, the length of a tail) is brought back by quantiles, as within levels of categories.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { applyRegressionTree, fitRegressionTree } from '../../../numerics/trees/regressionTree.ts';
import { featureOf, type SeenColumn, seenColumnSchema } from '../categorical/features.ts';
import type { JsonValue, ModelTable } from '../model.ts';
import { fitGroupQuantiles, groupQuantilesSchema, rakeGroups, saveGroupQuantiles } from '../shared/groupQuantiles.ts';
import { drawRows, pickRows } from '../shared/pickRows.ts';
import { treeSchema } from '../shared/savedTree.ts';

export const leafQuantilesSchema = z
  .object({ given: z.array(seenColumnSchema), tree: treeSchema, leaves: groupQuantilesSchema })
  .nullable();
export type LeafQuantiles = z.infer<typeof leafQuantilesSchema>;

const MOST_LEAVES = 256;
/** Rows of a leaf, at least, in the data and among those made: more of them where the table has few, and each row tells more of a leaf. */
const LEAST_ROWS = { few: 100, many: 30 } as const;
const MANY_ROWS = 10_000;
const leastRows = (rows: number): number => (rows < MANY_ROWS ? LEAST_ROWS.few : LEAST_ROWS.many);

/** Rows that leaves are learnt from, at most. */
const MOST_ROWS = 200_000;

/** A target in its rows. */
export interface PlacedTarget {
  /** n rows of the table. */
  rows: Int32Array;
  /** n finite numbers: leaves are of like means, on the scale on which users measure. */
  values: Float64Array;
  /** n, on [0, 1]: places in the margin, spread over those of their heap. */
  places: Float64Array;
}

/** Null where no column splits the target. */
export function fitLeafQuantiles(
  table: ModelTable,
  given: readonly SeenColumn[],
  target: PlacedTarget,
  random: RandomStream,
): LeafQuantiles {
  const least = leastRows(target.rows.length);
  if (given.length === 0 || target.rows.length < 2 * least) return null;
  const taken = drawRows(target.rows.length, MOST_ROWS, random).sort();
  const at = (values: Float64Array) => Float64Array.from(taken, (i) => values[i]!);
  const features = pickRows(
    featuresOf(table, given),
    taken.map((i) => target.rows[i]!),
  );
  const scale = target.values.reduce((most, value) => Math.max(most, Math.abs(value)), Number.MIN_VALUE);
  const settings = { minLeafRows: least, maxLeaves: MOST_LEAVES };
  const tree = fitRegressionTree(
    features,
    at(target.values).map((value) => value / scale),
    settings,
  );
  const leaves = fitGroupQuantiles(applyRegressionTree(tree, features), at(target.places), {
    least,
    most: MOST_LEAVES,
  });
  return leaves && { given: [...given], tree, leaves };
}

/** The places of rows that stand for the whole table, each leaf's brought to the quantiles that it has in the data. */
export function rakeLeaves(places: Float64Array, of: LeafQuantiles, table: ModelTable): Float64Array {
  const raked = places.slice();
  if (of)
    rakeGroups(raked, applyRegressionTree(of.tree, featuresOf(table, of.given)), of.leaves, leastRows(table.rows));
  return raked;
}

const featuresOf = (table: ModelTable, given: readonly SeenColumn[]) => ({
  rows: table.rows,
  features: given.map((seen) => featureOf(seen, table)),
});

export const saveLeafQuantiles = (of: LeafQuantiles): JsonValue =>
  of && {
    given: of.given.map((seen) => ({ ...seen })),
    tree: { binning: of.tree.binning.map((bins) => ({ ...bins })), tree: { ...of.tree.tree } },
    leaves: saveGroupQuantiles(of.leaves),
  };
