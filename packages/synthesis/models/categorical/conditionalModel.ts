import { z } from 'zod';
import { isWithinError } from '../../../numerics/moments.ts';
import { drawRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { applyClassificationTree, fitClassificationTree } from '../../../numerics/trees/classificationTree.ts';
import { type Feature, type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import type { CategoryColumn, ModelTable } from '../model.ts';
import { associationSchema, int32Schema, treeSchema } from '../shared/savedArrays.ts';
import {
  associatedProbabilities,
  associationIfBetter,
  type ClassRows,
  type Predict,
  takeClassRows,
} from './associated.ts';
import { classesOf, featureOf, featuresOf, type SeenColumn, seenColumnSchema } from './features.ts';

export const conditionalSchema = z.object({
  name: z.string(),
  levels: z.array(z.string()),
  /** By class (0: missing, k + 1: level k). */
  released: z.array(z.boolean()),
  /** Suppressed cells. */
  withheld: z.int(),
  given: z.array(seenColumnSchema),
  tree: treeSchema,
  /** Replaces the leaves if it predicts better. */
  association: associationSchema.nullable().default(null),
  leafRows: z.int(),
  leaves: z.object({ from: int32Schema, classes: int32Schema, counts: int32Schema, margin: int32Schema }),
  /** Which classes occur beside missing and present cells. */
  sides: z.array(z.object({ of: seenColumnSchema, beside: int32Schema })),
  /** Class determined by each class of another column. */
  follows: z.object({ of: seenColumnSchema, to: int32Schema }).nullable(),
});
export type ConditionalModel = z.infer<typeof conditionalSchema>;

export interface ConditionalTask {
  table: ModelTable;
  column: CategoryColumn;
  released: boolean[];
  given: readonly SeenColumn[];
  /** Column that determines this one. */
  of: SeenColumn | null;
  random: RandomStream;
}

export function fitConditional({ table, column, released, given, of, random }: ConditionalTask): ConditionalModel {
  const kinds = column.levels.length + 1;
  const classes = column.codes.map((code) => code + 1);
  const parents = of ? [] : [...given];
  const features = featuresOf(parents, table);
  const chosen = parents.length === 0 ? table.rows : leafRowsOf(features, classes, kinds, released, random);
  const ofTree: Predict = (train, test) => logProbabilities(train, test, kinds, chosen);
  const association =
    parents.length === 0
      ? null
      : associationIfBetter({ features, classes }, kinds, ofTree, random.child('association'));
  const leafRows = association ? table.rows : chosen;
  const tree = fitClassificationTree(features, classes, kinds, { minLeafRows: Math.max(1, leafRows) });
  const leaves = countLeaves(applyClassificationTree(tree, features), tree.tree.leaves, classes, kinds);
  const suppressed = leaves.margin.reduce((sum, count, one) => sum + (released[one] ? 0 : count), 0);
  const follows = of && { of, to: whatFollows(table, of, classes) };
  return {
    name: column.name,
    levels: [...column.levels],
    released,
    withheld: suppressed,
    given: parents,
    tree,
    association,
    leafRows,
    leaves,
    sides: parents.flatMap((seen, at) => sideOf(seen, features.features[at]!, classes, kinds)),
    follows,
  };
}

/** Predicting suppressed levels is of no use. */
function leafRowsOf(
  features: FeatureTable,
  classes: Int32Array,
  kinds: number,
  released: readonly boolean[],
  random: RandomStream,
): number {
  const rows = Int32Array.from(classes.keys()).filter((row) => released[classes[row]!]);
  const shown = rows.length === features.rows ? features : takeFeatures(features, rows);
  const own = Int32Array.from(rows, (row) => classes[row]!);
  return chooseLeafRows(shown, own, kinds, random);
}

export const BESIDE_MISSING = 1;
export const BESIDE_THERE = 2;

function sideOf(of: SeenColumn, feature: Feature, classes: Int32Array, kinds: number): ConditionalModel['sides'] {
  if (feature.kind !== 'category') return [];
  const beside = new Int32Array(kinds);
  for (let row = 0; row < classes.length; row++) {
    beside[classes[row]!]! |= feature.codes[row] === 0 ? BESIDE_MISSING : BESIDE_THERE;
  }
  const isInformative = beside.some((bits) => bits === BESIDE_MISSING) && beside.some((bits) => bits >= BESIDE_THERE);
  return isInformative ? [{ of, beside }] : [];
}

/** Maps determining classes to classes; -1 without rows. */
function whatFollows(table: ModelTable, of: SeenColumn, classes: Int32Array): Int32Array {
  const column = table.columns.get(of.name);
  if (column?.kind !== 'category' || !of.levels)
    throw new RangeError(`no categorical column ${JSON.stringify(of.name)}`);
  const to = new Int32Array(of.levels.length + 1).fill(-1);
  classesOf(column, of.levels).forEach((from, row) => {
    to[from] = classes[row]!;
  });
  return to;
}

export interface ConditionalDraw {
  model: ConditionalModel;
  leaves: Int32Array;
  determining: Int32Array | null;
  fallback: LeafCounts['margin'];
  /** n × classes; null to use leaves. */
  probabilities: Float64Array | null;
  sides: readonly Int32Array[];
}

export function prepareDraw(model: ConditionalModel, made: ModelTable): ConditionalDraw {
  const features = featuresOf(model.given, made);
  const of = model.follows && featureOf(model.follows.of, made);
  return {
    model,
    leaves: applyClassificationTree(model.tree, features),
    determining: of?.kind === 'category' ? of.codes : null,
    sides: model.sides.map(({ of: side }) => categoryCodes(featureOf(side, made))),
    fallback: model.leaves.margin.map((count, one) => (model.released[one] ? count : 0)),
    probabilities: model.association && associatedProbabilities(model.association, features),
  };
}

const categoryCodes = (feature: Feature): Int32Array => {
  if (feature.kind !== 'category') throw new RangeError('a column with missing cells is a category');
  return feature.codes;
};

// The largest leaf size within one standard error of the best on held-out rows (Breiman et al., 1984) depends least on
// single rows.

const CANDIDATES = [20, 50, 100, 200, 400] as const;
/** Small tables get smaller leaves, but not below rare levels. */
const SMALL_TABLE = 1000;
const SMALL_CANDIDATES = [7, 15, 30, 60] as const;
const MAX_ROWS = 40_000;
const FOLDS = 5;

export function chooseLeafRows(table: FeatureTable, classes: Int32Array, kinds: number, random: RandomStream): number {
  const candidates = table.rows < SMALL_TABLE ? SMALL_CANDIDATES : CANDIDATES;
  const rows = drawRows(table.rows, MAX_ROWS, random);
  if (rows.length < FOLDS) return candidates[0];
  // In small tables one fold would choose by chance.
  const folds = Math.min(FOLDS, Math.max(1, Math.floor(MAX_ROWS / rows.length)));
  const scores = candidates.map((): number[] => []);
  for (let fold = 0; fold < folds; fold++) {
    const [from, to] = [fold, fold + 1].map((k) => Math.floor((k * rows.length) / FOLDS));
    const [held, kept] = [rows.slice(from, to), rows.filter((_, i) => i < from! || i >= to!)];
    const [train, test] = [
      takeClassRows({ features: table, classes }, kept),
      takeClassRows({ features: table, classes }, held),
    ];
    candidates.forEach((minLeafRows, k) => {
      scores[k]!.push(...logProbabilities(train, test, kinds, minLeafRows));
    });
  }
  const best = scores.reduce((a, b) => (sumOf(b) > sumOf(a) ? b : a));
  return candidates.findLast((_, k) => isWithinError(best.map((value, i) => value - scores[k]![i]!))) ?? candidates[0];
}

function logProbabilities(train: ClassRows, test: ClassRows, kinds: number, minLeafRows: number): number[] {
  const tree = fitClassificationTree(train.features, train.classes, kinds, { minLeafRows });
  const counts = countLeaves(applyClassificationTree(tree, train.features), tree.tree.leaves, train.classes, kinds);
  const leaves = applyClassificationTree(tree, test.features);
  return Array.from(test.classes, (one, i) => Math.log(probabilityIn(counts, leaves[i]!, one)));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Leaf l has entries `from[l]` … `from[l + 1] - 1`, by ascending class. */
export interface LeafCounts {
  from: Int32Array;
  classes: Int32Array;
  counts: Int32Array;
  margin: Int32Array;
}

/** P(c | leaf) = (n_lc + w P(c)) / (n_l + w). Unseen combinations get less than w / n_l: 1 in 500 for 50 rows. */
export const SMOOTHING_ROWS = 0.1;

export function countLeaves(leaves: Int32Array, leafCount: number, classes: Int32Array, kinds: number): LeafCounts {
  const margin = new Int32Array(kinds);
  const cells = new Float64Array(leaves.length);
  for (let row = 0; row < cells.length; row++) cells[row] = leaves[row]! * kinds + classes[row]!;
  cells.sort();
  const from = new Int32Array(leafCount + 1);
  const found: number[] = [];
  const counts: number[] = [];
  let last = -1;
  for (const cell of cells) {
    const one = cell % kinds;
    margin[one]!++;
    if (cell === last) counts[counts.length - 1]!++;
    else {
      found.push(one);
      counts.push(1);
      from[Math.floor(cell / kinds) + 1]!++;
    }
    last = cell;
  }
  for (let leaf = 0; leaf < leafCount; leaf++) from[leaf + 1]! += from[leaf]!;
  return { from, classes: Int32Array.from(found), counts: Int32Array.from(counts), margin };
}

/** Positive even for unseen classes. */
function probabilityIn({ from, classes, counts, margin }: LeafCounts, leaf: number, one: number): number {
  let rows = 0;
  let own = 0;
  for (let k = from[leaf]!; k < from[leaf + 1]!; k++) {
    rows += counts[k]!;
    if (classes[k] === one) own = counts[k]!;
  }
  const all = margin.reduce((sum, count) => sum + count, 0);
  const share = (margin[one]! + 0.5) / (all + 0.5 * margin.length);
  return (own + SMOOTHING_ROWS * share) / (rows + SMOOTHING_ROWS);
}
