/**
 * The mean of a number given other columns, boosted by itself: it says more in a few seconds than bins of the number say in as
 * many rounds. It is cross-fitted (Chernozhukov et al., 2018): the mean of a row that was fitted to is that of the fit that did not
 * see it, so that who is given these means learns how far off they are.
 */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps } from '../../../numerics/steps.ts';
import { poolTrees } from '../../../numerics/trees/classTrees.ts';
import { binFeature, type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import type { MeanTask } from '../../../numerics/trees/meanTrees.ts';
import { meansOf } from '../../../numerics/trees/walkTrees.ts';
import { type BoostHooks, type BoostJob, boostInThreads } from './boostInThreads.ts';
import { type CrossFittedMean, MAX_FEATURE_BINS } from './boosting.ts';

/** Fits, each of which leaves out another part of the rows, and stops where it predicts that part best. */
const FITS = 4;

/** A number, n finite values, and what it is given. */
interface MeanColumn {
  features: FeatureTable;
  values: Float64Array;
  /** Rows to fit to. */
  rows: Int32Array;
}

/**
 * The mean by squared loss, from more than four `rows`; `values` are finite in every row. The same bytes in threads as
 * without. JobError where a thread dies.
 */
export async function fitCrossFittedMean(
  { features, values, rows }: MeanColumn,
  random: RandomStream,
  { yieldToEventLoop }: Pick<BoostHooks, 'yieldToEventLoop'>,
): Promise<CrossFittedMean> {
  const binning = features.features.map((feature) =>
    binFeature(feature, values, feature.kind === 'numeric' ? MAX_FEATURE_BINS : undefined),
  );
  const order = shuffledRows(rows.length, random).map((at) => rows[at]!);
  const left = Array.from({ length: FITS }, (_, fit) => order.filter((_, at) => at % FITS === fit).sort());
  const jobs = left.map((apart, fit): BoostJob<MeanTask> => {
    const kept = order.filter((_, at) => at % FITS !== fit).sort();
    const task = { table: features, binning, target: values, rows: kept, apart };
    return { cells: kept.length * features.features.length, seed: 0, task: () => task };
  });
  const fits = await boostInThreads(jobs, { yieldToEventLoop, onColumn: yieldToEventLoop });
  const trees = poolTrees(fits);
  const means = await inSteps(meansOf(trees, features), yieldToEventLoop);
  for (const [fit, apart] of left.entries()) {
    const own = await inSteps(meansOf(fits[fit]!, takeFeatures(features, apart)), yieldToEventLoop);
    apart.forEach((row, at) => {
      means[row] = own[at]!;
    });
  }
  return { trees, means };
}
