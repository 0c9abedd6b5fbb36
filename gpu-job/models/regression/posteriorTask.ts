/** What is asked of a posterior, what is drawn from it, and what drawing costs. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Posterior } from '../../../numerics/regression/posterior.ts';
import type { RegressionSpec } from '../../../numerics/regression/spec.ts';
import type { Report } from '../model.ts';
import { bySums } from './fixPools.ts';

export const CHAINS = 4;

export interface PosteriorTask {
  spec: RegressionSpec;
  /** Where the search for the mode begins. */
  start: Float64Array;
  draws: number;
  tune: number;
  random: RandomStream;
  report: Report;
  breathe(): Promise<void>;
}

export interface PosteriorDraws {
  posterior: Posterior;
  /** Natural scale, one array a chain: draws × d, row-major. */
  chains: Float64Array[];
  tune: number;
  worstRHat: number;
  leastBulkEss: number;
  leastTailEss: number;
  divergences: number;
  depthExceeded: number;
  leastEnergyFraction: number;
  /** Of importance weights; null where chains were run. */
  paretoShape: number | null;
  converged: boolean;
}

/** Multiplications and additions of four chains, about: trajectories take three to four gradients. */
export const costOfChains = ({ spec, draws, tune }: PosteriorTask): number =>
  CHAINS * (draws + tune) * 3.5 * flopsOf(spec, dimensionOf(spec));

const dimensionOf = ({ predictors }: RegressionSpec): number =>
  predictors.reduce((sum, own) => sum + (own.kind === 'linear' ? own.design.cols : 1), 0);

/** Multiplications and additions of a gradient, about. */
export function flopsOf(spec: RegressionSpec, dimension: number): number {
  const whitening = 2 * dimension * dimension;
  if (bySums(spec.family)) return whitening + 2 * dimension * dimension;
  const entries = spec.predictors.reduce(
    (sum, predictor) => sum + (predictor.kind === 'linear' ? predictor.design.values.length : 0),
    0,
  );
  return whitening + 4 * entries + 60 * spec.y.length;
}
