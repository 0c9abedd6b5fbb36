/**
 * Boosts a number's mean, which is faster than boosting bins. Cross-fitting (Chernozhukov et al., 2018) predicts each
 * row by the fit that left it out, so that its error is honest.
 */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps } from '../../../numerics/steps.ts';
import { poolTrees } from '../../../numerics/trees/classTrees.ts';
import { binFeature, type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import type { MeanTask } from '../../../numerics/trees/meanTrees.ts';
import { meansOf } from '../../../numerics/trees/walkTrees.ts';
import { type BoostHooks, type BoostJob, boostInThreads } from './boostInThreads.ts';
import { boostMean, type CrossFittedMean, MAX_FEATURE_BINS } from './boosting.ts';

const FITS = 4;

interface MeanColumn {
  features: FeatureTable;
  values: Float64Array;
  rows: Int32Array;
}

/** Fits squared loss to more than four `rows`; all `values` are finite. Throws JobError if a thread dies. */
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
  const fits = await boostInThreads(boostMean, jobs, { yieldToEventLoop, onColumn: yieldToEventLoop });
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
