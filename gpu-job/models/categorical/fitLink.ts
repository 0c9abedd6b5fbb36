/** One link of the chain: a column given those before it. */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { applyClassificationTree, fitClassificationTree } from '../../../numerics/trees/classificationTree.ts';
import type { Feature, FeatureTable } from '../../../numerics/trees/features.ts';
import type { CategoryColumn, JsonValue, ModelTable } from '../model.ts';
import { pickRows } from '../shared/pickRows.ts';
import { int32Schema, saveArray } from '../shared/savedArrays.ts';
import { treeSchema } from '../shared/savedTree.ts';
import { chooseLeafRows } from './chooseLeafRows.ts';
import { classesOf, featureOf, type SeenColumn, seenColumnSchema } from './features.ts';
import { countLeaves, type LeafCounts } from './leafCounts.ts';

export const linkSchema = z.object({
  name: z.string(),
  levels: z.array(z.string()),
  /** Whether a class (0: missing, k + 1: level k) may come out. */
  released: z.array(z.boolean()),
  /** Cells of the fit whose level may not. */
  withheld: z.int(),
  /** Columns that the tree asks, in the order of its features. */
  given: z.array(seenColumnSchema),
  tree: treeSchema,
  leafRows: z.int(),
  leaves: z.object({ from: int32Schema, classes: int32Schema, counts: int32Schema, margin: int32Schema }),
  /** Of columns with missing cells: beside which of their cells each class stands. Those that tell nothing are left out. */
  sides: z.array(z.object({ of: seenColumnSchema, beside: int32Schema })),
  /** The class that follows from each class of another column; null where the column follows from none. */
  follows: z.object({ of: seenColumnSchema, to: int32Schema }).nullable(),
});
export type ChainLink = z.infer<typeof linkSchema>;

export interface LinkTask {
  table: ModelTable;
  column: CategoryColumn;
  released: boolean[];
  given: readonly SeenColumn[];
  /** The column from which this one follows in every row. */
  of: SeenColumn | null;
  random: RandomStream;
}

export function fitLink({ table, column, released, given, of, random }: LinkTask): ChainLink {
  const kinds = column.levels.length + 1;
  const classes = column.codes.map((code) => code + 1);
  const asked = of ? [] : [...given];
  const features = { rows: table.rows, features: asked.map((seen) => featureOf(seen, table)) };
  const leafRows = asked.length === 0 ? table.rows : leafRowsOf(features, classes, kinds, released, random);
  const tree = fitClassificationTree(features, classes, kinds, { minLeafRows: Math.max(1, leafRows) });
  const leaves = countLeaves(applyClassificationTree(tree, features), tree.tree.leaves, classes, kinds);
  const withheld = leaves.margin.reduce((sum, count, one) => sum + (released[one] ? 0 : count), 0);
  const follows = of && { of, to: whatFollows(table, of, classes) };
  return {
    name: column.name,
    levels: [...column.levels],
    released,
    withheld,
    given: asked,
    tree,
    leafRows,
    leaves,
    sides: asked.flatMap((seen, at) => sideOf(seen, features.features[at]!, classes, kinds)),
    follows,
  };
}

/** Chosen by the levels that may come out: how well the others are told is of no use. */
function leafRowsOf(
  features: FeatureTable,
  classes: Int32Array,
  kinds: number,
  released: readonly boolean[],
  random: RandomStream,
): number {
  const rows = Int32Array.from(classes.keys()).filter((row) => released[classes[row]!]);
  const told = rows.length === features.rows ? features : pickRows(features, rows);
  const own = Int32Array.from(rows, (row) => classes[row]!);
  return chooseLeafRows(told, own, kinds, random);
}

/** Bits: beside a missing cell, beside one that is there. */
export const BESIDE_MISSING = 1;
export const BESIDE_THERE = 2;

function sideOf(of: SeenColumn, feature: Feature, classes: Int32Array, kinds: number): ChainLink['sides'] {
  if (feature.kind !== 'category') return [];
  const beside = new Int32Array(kinds);
  for (let row = 0; row < classes.length; row++) {
    beside[classes[row]!]! |= feature.codes[row] === 0 ? BESIDE_MISSING : BESIDE_THERE;
  }
  const isTelling = beside.some((bits) => bits === BESIDE_MISSING) && beside.some((bits) => bits >= BESIDE_THERE);
  return isTelling ? [{ of, beside }] : [];
}

/** For each class of the determining column the class that stands beside it; -1 where it has no row. */
function whatFollows(table: ModelTable, of: SeenColumn, classes: Int32Array): Int32Array {
  const column = table.columns.get(of.name);
  if (column?.kind !== 'category' || !of.levels) throw new RangeError(`no category column ${JSON.stringify(of.name)}`);
  const to = new Int32Array(of.levels.length + 1).fill(-1);
  classesOf(column, of.levels).forEach((from, row) => {
    to[from] = classes[row]!;
  });
  return to;
}

/** Where `drawClass` looks: rows that a link's tree has sent to their leaves. */
export interface LinkDraw {
  link: ChainLink;
  leaves: Int32Array;
  /** What the row's class follows from; null where it follows from nothing. */
  determining: Int32Array | null;
  fallback: LeafCounts['margin'];
  /** By column of `link.sides`, the classes of the rows. */
  sides: readonly Int32Array[];
}

export function prepareDraw(link: ChainLink, made: ModelTable): LinkDraw {
  const features = { rows: made.rows, features: link.given.map((seen) => featureOf(seen, made)) };
  const of = link.follows && featureOf(link.follows.of, made);
  return {
    link,
    leaves: applyClassificationTree(link.tree, features),
    determining: of?.kind === 'category' ? of.codes : null,
    sides: link.sides.map(({ of: side }) => categoryCodes(featureOf(side, made))),
    fallback: link.leaves.margin.map((count, one) => (link.released[one] ? count : 0)),
  };
}

const categoryCodes = (feature: Feature): Int32Array => {
  if (feature.kind !== 'category') throw new RangeError('a column with missing cells is a category');
  return feature.codes;
};

export const saveLink = (link: ChainLink): JsonValue => ({
  ...link,
  given: link.given.map((seen) => ({ ...seen })),
  tree: {
    binning: link.tree.binning.map((bins) => ({ ...bins })),
    tree: { ...link.tree.tree },
  },
  leaves: {
    from: saveArray(link.leaves.from),
    classes: saveArray(link.leaves.classes),
    counts: saveArray(link.leaves.counts),
    margin: saveArray(link.leaves.margin),
  },
  sides: link.sides.map(({ of, beside }) => ({ of: { ...of }, beside: saveArray(beside) })),
  follows: link.follows && { of: { ...link.follows.of }, to: saveArray(link.follows.to) },
});
