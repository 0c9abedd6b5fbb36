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
/** Rows looked at, at most, and the share of them that is predicted. */
const MOST_ROWS = 40_000;
const VALIDATION = 0.2;

/** Rows in a leaf, at least. `classes`: 0 … kinds - 1, one a row. */
export function chooseLeafRows(table: FeatureTable, classes: Int32Array, kinds: number, random: RandomStream): number {
  const candidates = table.rows < SMALL_TABLE ? SMALL_CANDIDATES : CANDIDATES;
  const rows = drawRows(table.rows, MOST_ROWS, random);
  const cut = Math.floor(rows.length * VALIDATION);
  const [held, kept] = [rows.subarray(0, cut), rows.subarray(cut)];
  if (held.length === 0) return candidates[0];
  const train = pickRows(table, kept);
  const test = pickRows(table, held);
  const trainClasses = Int32Array.from(kept, (row) => classes[row]!);
  const scores = candidates.map((minLeafRows) => {
    const tree = fitClassificationTree(train, trainClasses, kinds, { minLeafRows });
    const counts = countLeaves(applyClassificationTree(tree, train), tree.tree.leaves, trainClasses, kinds);
    const leaves = applyClassificationTree(tree, test);
    return Float64Array.from(held, (row, i) => Math.log(probabilityIn(counts, leaves[i]!, classes[row]!)));
  });
  const best = scores.reduce((a, b) => (sumOf(b) > sumOf(a) ? b : a));
  return candidates.findLast((_, k) => isAsGood(scores[k]!, best)) ?? candidates[0];
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Not behind by more than one standard error of the paired difference. */
function isAsGood(scores: Float64Array, best: Float64Array): boolean {
  const n = scores.length;
  const behind = best.map((value, i) => value - scores[i]!);
  const mean = sumOf(behind) / n;
  const squares = behind.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return mean <= Math.sqrt(squares / (n * Math.max(1, n - 1)));
}
