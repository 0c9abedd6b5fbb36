/** A regression tree on the earlier columns, with each leaf's u. The vine correlates the ranks within leaves. */
import { z } from 'zod';
import { streamAt } from '../../../numerics/random/createStream.ts';
import type { RandomStream, StreamOrigin } from '../../../numerics/random/stream.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import type { Steps } from '../../../numerics/steps.ts';
import { applyRegressionTree, fitLeaves, type RegressionTree } from '../../../numerics/trees/boostedTrees.ts';
import { type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import { pruneTree } from '../../../numerics/trees/tree.ts';
import { bySteps, type Task } from '../../tasks/task.ts';
import { type SeenColumn, seenColumnSchema } from '../categorical/features.ts';
import { float64Schema, int32Schema, treeSchema } from '../shared/savedArrays.ts';
import { type NumberColumn, spreadCells } from './arrangeColumns.ts';
import { type ChosenSplits, chooseSplits } from './chooseSplits.ts';
import {
  type ColumnLine,
  columnLineSchema,
  fitColumnLine,
  liftsOf,
  type Regressor,
  regressorsOf,
} from './columnLine.ts';
import {
  fitSlopes,
  type LeafSlopes,
  lifted,
  liftOf,
  type NumberScores,
  scoreOf,
  slopesSchema,
} from './normalScores.ts';

export const columnTreeSchema = z.object({
  given: z.array(seenColumnSchema),
  tree: treeSchema,
  /** Residual variances that splits had to gain. */
  penalty: z.number(),
  /** Line of a small table, whose residuals the tree fits. */
  line: z.codec(columnLineSchema.optional(), z.custom<ColumnLine | null>(), {
    decode: (line) => line ?? null,
    encode: (line) => line ?? undefined,
  }),
  /** Null with `line` or without parent numbers. */
  slopes: slopesSchema.nullable(),
  /** u per leaf, minus any line's lift. */
  places: z.object({ start: int32Schema, from: float64Schema, upTo: float64Schema }),
});
export type ColumnTree = z.infer<typeof columnTreeSchema>;

/**
 * Minimum rows, since smaller leaves depend on single rows. Tables below `FEW_ROWS` need more, up to twice the root of
 * their rows.
 */
const LEAF_ROWS = 40;
const FEW_ROWS = 14_000;
const MAX_LEAF_ROWS = 80;
const TIMES_THE_ROOT = 2;
const SMALL_LEAF_ROWS = 15;
const MAX_LEAVES = 4096;

function leafRowsOf(rows: number): number {
  const most = Math.min(MAX_LEAF_ROWS, LEAF_ROWS * Math.max(1, FEW_ROWS / rows));
  return Math.max(SMALL_LEAF_ROWS, Math.round(Math.min(most, TIMES_THE_ROOT * Math.sqrt(rows))));
}

/** Maximum regressors of lines within bins. */
const MAX_ALONGSIDE = 4;

export interface PresentRows {
  given: readonly SeenColumn[];
  features: FeatureTable;
  from: Float64Array;
  upTo: Float64Array;
  /** Leaves use the first number, bins use all. */
  alongside: readonly NumberScores[];
  /** As `given`; null if rows are many. */
  regressors: readonly Regressor[] | null;
}

export interface TreeFit {
  tree: ColumnTree;
  /** Ranks in (0, 1), one per cell. */
  ranks: Float64Array;
  /** Null if rows are too few. */
  trial: ChosenSplits | null;
}

/** @param numbers those in `given`, most informative first; null fits no lines. */
export function presentRows(
  column: NumberColumn,
  given: readonly SeenColumn[],
  features: FeatureTable,
  numbers: readonly NumberColumn[] | null,
): PresentRows {
  const rows = rowsThere(column.from);
  const at = (values: Float64Array): Float64Array => takeNumbers(values, rows);
  const there = rows.length === features.rows ? features : takeFeatures(features, rows);
  const uOf = (name: string): Float64Array | undefined => {
    const own = numbers?.find((number) => number.name === name);
    return own && Float64Array.from(rows, (row) => (own.from[row]! + own.upTo[row]!) / 2);
  };
  return {
    given,
    features: there,
    regressors: numbers && rows.length < FEW_ROWS ? regressorsOf(given, there, uOf) : null,
    from: at(column.from),
    upTo: at(column.upTo),
    alongside: (numbers ?? []).slice(0, MAX_ALONGSIDE).map(({ name }) => ({ name, scores: uOf(name)!.map(scoreOf) })),
  };
}

function rowsThere(values: Float64Array): Int32Array {
  const rows: number[] = [];
  values.forEach((value, row) => {
    if (!Number.isNaN(value)) rows.push(row);
  });
  return Int32Array.from(rows);
}

export function* fitColumnTree(present: PresentRows, random: RandomStream): Steps<TreeFit> {
  const { given, features, from, upTo, regressors } = present;
  const u = from.map((low, i) => (low + upTo[i]!) / 2);
  const settings = { minLeafRows: leafRowsOf(from.length), maxLeaves: MAX_LEAVES };
  const chosen =
    given.length === 0 ? null : chooseSplits({ features, u, regressors, settings }, random.child('splits'));
  yield;
  const penalty = chosen?.penalty ?? 0;
  const line = chosen?.line && regressors ? fitColumnLine(regressors, u.map(scoreOf)) : null;
  const left = line ? levelled(u, line, present) : u;
  const grown = fitLeaves(features, left, settings);
  const tree = { ...grown.tree, tree: pruneTree(grown.tree.tree, grown.leafOf, left, penalty) };
  yield;
  const own = placesIn(tree, line, present, random);
  yield;
  return {
    tree: { given: [...given], tree, penalty, line, slopes: own.slopes, places: own.ranges },
    ranks: own.ranks,
    trial: chosen,
  };
}

export interface TreeOrder {
  present: PresentRows;
  random: StreamOrigin;
}

export const growTree = {
  name: 'growTree',
  work: 'trees',
  cost: { seconds: { cell: 2e-6 } },
  open: bySteps(({ present, random }: TreeOrder) => fitColumnTree(present, streamAt(random))),
} satisfies Task<TreeOrder, TreeFit>;

function placesIn(
  tree: RegressionTree,
  line: ColumnLine | null,
  present: PresentRows,
  random: RandomStream,
): { slopes: LeafSlopes | null; ranges: LeafRanges; ranks: Float64Array } {
  const { leafOf, slopes, level } = linesOf(tree, line, present);
  // A line spreads an atom's rows over many places.
  const spread = line && spreadCells(present, random.child('spread'));
  const [from, upTo] = [level(spread ?? present.from), level(spread ?? present.upTo)];
  return { slopes, ...rankInLeaves({ leafOf, leaves: tree.tree.leaves, from, upTo }, random.child('ranks')) };
}

/** `level` removes the lines from u. */
export function linesOf(
  tree: RegressionTree,
  line: ColumnLine | null,
  present: PresentRows,
): { leafOf: Int32Array; slopes: LeafSlopes | null; level: (u: Float64Array) => Float64Array } {
  const { features, from, upTo, alongside } = present;
  const along = alongside[0] ?? null;
  const leafOf = applyRegressionTree(tree, features);
  if (line) return { leafOf, slopes: null, level: (u) => levelled(u, line, present) };
  const leaves = tree.tree.leaves;
  const slopes = along && fitSlopes({ name: along.name, leafOf, leaves, from, upTo, along: along.scores });
  const level = (u: Float64Array): Float64Array =>
    slopes && along ? u.map((own, i) => lifted(own, -liftOf(slopes, leafOf[i]!, along.scores[i]!))) : u;
  return { leafOf, slopes, level };
}

function levelled(u: Float64Array, line: ColumnLine, { regressors }: PresentRows): Float64Array {
  const lifts = liftsOf(line, regressors ?? [], u.length);
  return u.map((own, i) => lifted(own, -lifts[i]!));
}

/** Leaf l has entries start[l] … start[l + 1] - 1, ascending; atoms have from < upTo. */
interface LeafRanges {
  start: Int32Array;
  from: Float64Array;
  upTo: Float64Array;
}

/** Larger leaves keep evenly spaced entries. */
const MAX_ENTRIES = 4096;

interface RowsInLeaves {
  leafOf: Int32Array;
  leaves: number;
  from: Float64Array;
  upTo: Float64Array;
}

/** Returns ranks within leaves (n, in (0, 1)), with jitter and ties in random order. */
export function rankInLeaves(rows: RowsInLeaves, random: RandomStream): { ranks: Float64Array; ranges: LeafRanges } {
  const { leafOf, leaves, from, upTo } = rows;
  const n = leafOf.length;
  const start = startsOf(leafOf, leaves);
  const next = start.slice();
  const order = new Int32Array(n);
  for (let row = 0; row < n; row++) order[next[leafOf[row]!]!++] = row;
  const tie = Float64Array.from({ length: n }, () => random.uniform());
  const ranks = new Float64Array(n);
  for (let leaf = 0; leaf < leaves; leaf++) {
    const own = order.subarray(start[leaf]!, start[leaf + 1]!);
    own.sort((a, b) => from[a]! - from[b]! || upTo[a]! - upTo[b]! || tie[a]! - tie[b]!);
    own.forEach((row, rank) => {
      ranks[row] = (rank + random.uniform()) / own.length;
    });
  }
  return { ranks, ranges: keep(start, order, rows) };
}

function startsOf(leafOf: Int32Array, leaves: number): Int32Array {
  const start = new Int32Array(leaves + 1);
  for (const leaf of leafOf) start[leaf + 1]!++;
  for (let leaf = 0; leaf < leaves; leaf++) start[leaf + 1]! += start[leaf]!;
  return start;
}

function keep(start: Int32Array, order: Int32Array, { from, upTo }: RowsInLeaves): LeafRanges {
  const kept: number[] = [];
  const begins = start.map((begin, leaf) => {
    const first = kept.length;
    const size = (start[leaf + 1] ?? begin) - begin;
    const entries = Math.min(size, MAX_ENTRIES);
    for (let i = 0; i < entries; i++) kept.push(order[begin + Math.floor(((i + 0.5) * size) / entries)]!);
    return first;
  });
  return {
    start: begins,
    from: takeNumbers(from, kept),
    upTo: takeNumbers(upTo, kept),
  };
}

/** Returns u at `rank` (in (0, 1)). Atoms stay in place; points spread half-way to their neighbours. */
export function uAtRank({ start, from, upTo }: LeafRanges, leaf: number, rank: number): number {
  const first = start[leaf]!;
  const last = start[leaf + 1]! - 1;
  const at = rank * (last - first + 1);
  const k = Math.min(first + Math.floor(at), last);
  const middle = (from[k]! + upTo[k]!) / 2;
  if (from[k]! < upTo[k]!) return middle;
  const below = k > first ? (middle - upTo[k - 1]!) / 2 : Number.NaN;
  const above = k < last ? (from[k + 1]! - middle) / 2 : Number.NaN;
  const share = 2 * (at - (k - first)) - 1;
  const reach = share < 0 ? orElse(below, above) : orElse(above, below);
  return middle + share * Math.min(reach, middle, 1 - middle);
}

const orElse = (reach: number, other: number): number => {
  if (!Number.isNaN(reach)) return reach;
  return Number.isNaN(other) ? 0 : other;
};
