/**
 * One column given those made before it: the leaves of a regression tree on them, and within each leaf the places of its
 * rows. A row's rank in its leaf is what is left of the column: uniform, and the vine's to tie to the others'.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Steps } from '../../../numerics/regression/steps.ts';
import type { FeatureTable } from '../../../numerics/trees/features.ts';
import { pruneTree } from '../../../numerics/trees/pruneTree.ts';
import { applyRegressionTree, fitRegressionTree } from '../../../numerics/trees/regressionTree.ts';
import type { SeenColumn } from '../categorical/features.ts';
import { seenColumnSchema } from '../categorical/features.ts';
import type { JsonValue } from '../model.ts';
import { pickRows } from '../shared/pickRows.ts';
import { float64Schema, int32Schema, saveArray } from '../shared/savedArrays.ts';
import { treeSchema } from '../shared/savedTree.ts';
import { chooseSplits } from './chooseSplits.ts';
import { rankInLeaves } from './leafPlaces.ts';
import { fitSlopes, lifted, liftOf, saveSlopes, scoreOf, slopesSchema } from './leafSlopes.ts';
import type { NumberColumn } from './numberColumn.ts';

export const columnTreeSchema = z.object({
  /** Columns that the tree asks, in the order of its features. */
  given: z.array(seenColumnSchema),
  tree: treeSchema,
  /** Residual variances that a split had to gain. */
  penalty: z.number(),
  /** Lines within the leaves; null where no number is asked. */
  slopes: slopesSchema.nullable(),
  /** Places by leaf: less what its line lifts them by. */
  places: z.object({ start: int32Schema, from: float64Schema, upTo: float64Schema }),
});
export type ColumnTree = z.infer<typeof columnTreeSchema>;

/**
 * Rows in a leaf, at least: smaller leaves lean on single rows, whatever they predict. Below `FEW_ROWS` rows they are more,
 * since what a leaf learnt stands in few others, but no more than twice the root of the rows: of 275, 33.
 */
const LEAF_ROWS = 40;
const FEW_ROWS = 14_000;
const MOST_LEAF_ROWS = 80;
const TIMES_THE_ROOT = 2;
const SMALL_LEAF_ROWS = 15;
/** Leaves, at most. */
const MOST_LEAVES = 4096;

function leafRowsOf(rows: number): number {
  const most = Math.min(MOST_LEAF_ROWS, LEAF_ROWS * Math.max(1, FEW_ROWS / rows));
  return Math.max(SMALL_LEAF_ROWS, Math.round(Math.min(most, TIMES_THE_ROOT * Math.sqrt(rows))));
}

/**
 * @param column with a place for each row of `features`, NaN where the cell is missing.
 * @param along the number among `given` that tells most of the column; null where there is none.
 * @returns the tree, and the ranks (n, in (0, 1)); NaN where the cell is missing. Steps: the choice of the splits, the tree, the ranks.
 */
export function* fitColumnTree(
  column: NumberColumn,
  given: readonly SeenColumn[],
  features: FeatureTable,
  along: NumberColumn | null,
  random: RandomStream,
): Steps<{ tree: ColumnTree; ranks: Float64Array }> {
  const rows = rowsThere(column.from);
  const asked = rows.length === features.rows ? features : pickRows(features, rows);
  const at = (values: Float64Array): Float64Array => Float64Array.from(rows, (row) => values[row]!);
  const [from, upTo] = [at(column.from), at(column.upTo)];
  const places = from.map((place, i) => (place + upTo[i]!) / 2);
  const settings = { minLeafRows: leafRowsOf(rows.length), maxLeaves: MOST_LEAVES };
  const penalty = given.length === 0 ? 0 : chooseSplits({ features: asked, places, settings }, random.child('splits'));
  yield;
  const grown = fitRegressionTree(asked, places, settings);
  const tree = { ...grown, tree: pruneTree(grown.tree, applyRegressionTree(grown, asked), places, penalty) };
  yield;
  const leafOf = applyRegressionTree(tree, asked);
  const leaves = tree.tree.leaves;
  const scores = along && Float64Array.from(rows, (row) => scoreOf((along.from[row]! + along.upTo[row]!) / 2));
  const slopes = along && scores && fitSlopes({ name: along.name, leafOf, leaves, from, upTo, along: scores });
  const level = (values: Float64Array): Float64Array =>
    slopes && scores ? values.map((place, i) => lifted(place, -liftOf(slopes, leafOf[i]!, scores[i]!))) : values;
  const own = rankInLeaves({ leafOf, leaves, from: level(from), upTo: level(upTo) }, random.child('ranks'));
  const ranks = new Float64Array(features.rows).fill(Number.NaN);
  rows.forEach((row, i) => {
    ranks[row] = own.ranks[i]!;
  });
  return { tree: { given: [...given], tree, penalty, slopes, places: own.places }, ranks };
}

function rowsThere(values: Float64Array): Int32Array {
  const rows: number[] = [];
  values.forEach((value, row) => {
    if (!Number.isNaN(value)) rows.push(row);
  });
  return Int32Array.from(rows);
}

export const saveColumnTree = ({ given, tree, penalty, slopes, places }: ColumnTree): JsonValue => ({
  given: given.map((seen) => ({ ...seen })),
  tree: { binning: tree.binning.map((bins) => ({ ...bins })), tree: { ...tree.tree } },
  penalty,
  slopes: slopes && saveSlopes(slopes),
  places: { start: saveArray(places.start), from: saveArray(places.from), upTo: saveArray(places.upTo) },
});
