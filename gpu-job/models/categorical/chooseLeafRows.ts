/**
 * The size of leaves: the largest whose tree predicts rows that it did not see as well as the best does, to one standard error
 * (Breiman et al., 1984). Large leaves lean less on single rows.
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { applyClassificationTree, fitClassificationTree } from '../../../numerics/trees/classificationTree.ts';
import type { FeatureTable } from '../../../numerics/trees/features.ts';
import { drawRows, pickRows } from '../shared/pickRows.ts';
import { countLeaves, probabilityIn } from './leafCounts.ts';

/** Smaller leaves lean on single rows, whatever they predict. */
const CANDIDATES = [20, 50, 100, 200, 400] as const;
/** Small tables have smaller leaves, but never of fewer rows than a rare level has. */
const SMALL_TABLE = 1000;
const SMALL_CANDIDATES = [7, 15, 30, 60] as const;
/** Rows looked at, at most, in all folds. */
const MOST_ROWS = 40_000;
/** One in so many rows is held out of a fit. */
const FOLDS = 5;

/** Rows in a leaf, at least. `classes`: 0 … kinds - 1, one a row. */
export function chooseLeafRows(table: FeatureTable, classes: Int32Array, kinds: number, random: RandomStream): number {
  const candidates = table.rows < SMALL_TABLE ? SMALL_CANDIDATES : CANDIDATES;
  const rows = drawRows(table.rows, MOST_ROWS, random);
  if (rows.length < FOLDS) return candidates[0];
  // Of few rows each is predicted: a fifth of them alone would choose by chance.
  const folds = Math.min(FOLDS, Math.max(1, Math.floor(MOST_ROWS / rows.length)));
  const scores = candidates.map((): number[] => []);
  for (let fold = 0; fold < folds; fold++) {
    const [from, to] = [fold, fold + 1].map((k) => Math.floor((k * rows.length) / FOLDS));
    const [held, kept] = [rows.slice(from, to), rows.filter((_, i) => i < from! || i >= to!)];
    const [train, test] = [partOf(table, classes, kept), partOf(table, classes, held)];
    candidates.forEach((minLeafRows, k) => {
      scores[k]!.push(...logProbabilities(train, test, kinds, minLeafRows));
    });
  }
  const best = scores.reduce((a, b) => (sumOf(b) > sumOf(a) ? b : a));
  return candidates.findLast((_, k) => isAsGood(scores[k]!, best)) ?? candidates[0];
}

interface Part {
  table: FeatureTable;
  classes: Int32Array;
}

const partOf = (table: FeatureTable, classes: Int32Array, rows: Int32Array): Part => ({
  table: pickRows(table, rows),
  classes: Int32Array.from(rows, (row) => classes[row]!),
});

/** Of the rows of `test`, under a tree that was fitted to `train`. */
function logProbabilities(train: Part, test: Part, kinds: number, minLeafRows: number): number[] {
  const tree = fitClassificationTree(train.table, train.classes, kinds, { minLeafRows });
  const counts = countLeaves(applyClassificationTree(tree, train.table), tree.tree.leaves, train.classes, kinds);
  const leaves = applyClassificationTree(tree, test.table);
  return Array.from(test.classes, (one, i) => Math.log(probabilityIn(counts, leaves[i]!, one)));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Not behind by more than one standard error of the paired difference. */
function isAsGood(scores: readonly number[], best: readonly number[]): boolean {
  const n = scores.length;
  const behind = best.map((value, i) => value - scores[i]!);
  const mean = sumOf(behind) / n;
  const squares = behind.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return mean <= Math.sqrt(squares / (n * Math.max(1, n - 1)));
}
