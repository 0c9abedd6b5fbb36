/** Chooses a boosted density over a column's tree if it predicts held-out rows clearly better. */
import { meanWithError } from '../../../numerics/moments.ts';
import { drawRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import type { Steps } from '../../../numerics/steps.ts';
import { applyRegressionTree } from '../../../numerics/trees/boostedTrees.ts';
import { takeFeatures } from '../../../numerics/trees/features.ts';
import { eachProbabilities } from '../../../numerics/trees/walkTrees.ts';
import { boostTask } from '../shared/boostInThreads.ts';
import type { CrossFittedMean } from '../shared/boosting.ts';
import { spreadCells } from './arrangeColumns.ts';
import { type ChosenSplits, MAX_TREE_ROWS } from './chooseSplits.ts';
import { type ColumnDensity, densityFeatures, fitDensity, ranksIn } from './columnDensity.ts';
import { liftsOf, takeRegressors } from './columnLine.ts';
import { linesOf, type PresentRows } from './columnTree.ts';
import { lifted, liftOf } from './normalScores.ts';
import { binsScore, entriesScore, thinned } from './rankedScores.ts';

export interface DensityTask {
  present: PresentRows;
  trial: ChosenSplits | null;
  rounds: number;
  /** Replaces `trial` if there is no tree; the mean is fitted to `kept`. */
  alone: (Parts & { mean: CrossFittedMean }) | null;
}

export type Parts = Pick<ChosenSplits, 'kept' | 'held'>;

export interface DensityFit {
  density: ColumnDensity;
  /** Ranks in (0, 1), one per cell. */
  ranks: Float64Array;
  judged: { held: Int32Array; u: Float64Array };
}

export const MAX_DENSITY_ROWS = 40_000;
export const MIN_CELLS = 400;
/** Below this score a density would lose detail, since its bins are coarser. */
const MIN_SCORE = 0.03;
/** Maximum rows for early stopping. */
const MAX_APART = 2_500;
/** Share held out without a tree. */
const HELD_OUT = 0.25;
/** Required gain in standard errors. */
const CLEARLY = 2;
/** Required share of the tree's score, since bins may straddle edges that leaves find. */
const MIN_GAIN = 0.005;

/** Returns null to keep the tree. */
export function* densityIfBetter(task: DensityTask, random: RandomStream): Steps<DensityFit | null> {
  const { present, trial, rounds, alone } = task;
  const spread = spreadCells(present, random.child('cells'));
  const ofTree = trial && treeScores(trial, present, spread);
  if (ofTree && meanOf(ofTree) < MIN_SCORE) return null;
  yield;
  const { held, kept } = partsIn(task, random);
  const mean = alone?.mean ?? null;
  const density = yield* fitDensity(
    { ...present, kept, held: held.slice(0, MAX_APART), rounds, mean },
    random.child('trees'),
  );
  if (ofTree && !isBetter(yield* densityScores(density, present, held, spread), ofTree)) return null;
  yield;
  const judged = { held, u: takeNumbers(spread, held) };
  return { density, ranks: yield* ranksIn(density, { ...present, mean }, spread), judged };
}

export const boostDensity = boostTask('boostDensity', densityIfBetter);

function partsIn({ trial, alone, present }: DensityTask, random: RandomStream): Parts {
  if (!trial) {
    if (!alone) throw new RangeError('neither a tree nor cells to grow from');
    return alone;
  }
  return { held: trial.held, kept: trainingRows(trial, present.from.length, random) };
}

export function partsOf(cells: number, random: RandomStream): Parts {
  const rows = drawRows(cells, MAX_TREE_ROWS, random);
  const cut = Math.ceil(rows.length * HELD_OUT);
  const parts = { held: rows.subarray(0, cut), kept: rows.subarray(cut) };
  return { ...parts, kept: trainingRows(parts, cells, random) };
}

function trainingRows({ kept, held }: Parts, cells: number, random: RandomStream): Int32Array {
  if (kept.length >= Math.min(MAX_DENSITY_ROWS, cells - held.length)) return kept;
  const isHeld = new Uint8Array(cells);
  for (const row of held) isHeld[row] = 1;
  const free = Int32Array.from(isHeld.keys()).filter((row) => isHeld[row] === 0);
  return drawRows(free.length, MAX_DENSITY_ROWS, random.child('rows')).map((at) => free[at]!);
}

function isBetter(scores: Float64Array, ofTree: Float64Array): boolean {
  const { mean, error } = meanWithError(ofTree.map((own, i) => own - scores[i]!));
  return mean > Math.max(MIN_GAIN * meanOf(ofTree), CLEARLY * error);
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export function treeScores(
  { tree, line, kept, held }: ChosenSplits,
  present: PresentRows,
  spread: Float64Array,
): Float64Array {
  const train = takePresent(present, kept);
  const { leafOf, slopes, level } = linesOf(tree, line, train);
  const places = level(takeNumbers(spread, kept));
  const groups: number[][] = Array.from({ length: tree.tree.leaves }, () => []);
  leafOf.forEach((leaf, i) => {
    groups[leaf]!.push(places[i]!);
  });
  const entries = groups.map(thinned);
  const test = takePresent(present, held);
  const along = test.alongside[0];
  const leafOfHeld = applyRegressionTree(tree, test.features);
  const lifts = line && liftsOf(line, test.regressors ?? [], held.length);
  return Float64Array.from(held, (row, i) => {
    const leaf = leafOfHeld[i]!;
    const by = lifts ? lifts[i]! : slopes && along ? liftOf(slopes, leaf, along.scores[i]!) : 0;
    return entriesScore(by === 0 ? entries[leaf]! : entries[leaf]!.map((own) => lifted(own, by)), spread[row]!);
  });
}

function* densityScores(
  density: ColumnDensity,
  { features }: PresentRows,
  held: Int32Array,
  spread: Float64Array,
): Steps<Float64Array> {
  const scores = new Float64Array(held.length);
  const { ends, trees } = density;
  yield* eachProbabilities(trees, yield* densityFeatures(density, takeFeatures(features, held)), (i, p) => {
    scores[i] = binsScore(ends, p, spread[held[i]!]!);
  });
  return scores;
}

function takePresent(present: PresentRows, rows: Int32Array): PresentRows {
  const at = (values: Float64Array): Float64Array => takeNumbers(values, rows);
  const { given, features, from, upTo, alongside, regressors } = present;
  return {
    given,
    regressors: regressors && takeRegressors(regressors, rows),
    features: takeFeatures(features, rows),
    from: at(from),
    upTo: at(upTo),
    alongside: alongside.map(({ name, scores }) => ({ name, scores: at(scores) })),
  };
}
