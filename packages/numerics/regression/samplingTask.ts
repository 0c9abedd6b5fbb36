/** What is asked of a sampler of posteriors, what it tells meanwhile, and what it gives back. */

import type { Convergence } from '../mcmc/diagnostics.ts';
import type { RandomStream } from '../random/stream.ts';
import type { Posterior } from './posterior.ts';
import type { Sampler } from './samplers.ts';
import type { RegressionSpec } from './spec.ts';

export const CHAINS = 4;

/** How well the chains of a run agree. */
export interface Agreement {
  worstRHat: number;
  leastBulkEss: number;
  divergences: number;
}

/** `parameter`: the part of a family with atoms that is being sampled; null where it is sampled whole. */
export type SamplingProgress = { parameter: string | null } & (
  | { fact: 'chains_sampled'; done: number; total: number; divergences: number }
  | ({ fact: 'chains_repeated' } & Agreement)
  | { fact: 'importance_sampling'; rows: number }
  | { fact: 'proposals_weighted'; done: number; total: number }
  | { fact: 'approximation_rejected'; paretoShape: number }
  | { fact: 'rows_chosen'; rows: number; total: number }
  | { fact: 'rows_rejected'; error: number }
);

/** Throws where the work is to stop. */
export type OnSamplingProgress = (progress: SamplingProgress) => void | Promise<void>;

/** What the draws are of. */
export type SamplingMethod = 'chains' | 'subsample' | 'importance';

export interface PosteriorTask {
  spec: RegressionSpec;
  /** Where the search for the mode begins. */
  start: Float64Array;
  draws: number;
  tune: number;
  sampler?: Sampler;
  random: RandomStream;
  onProgress: OnSamplingProgress;
  /** Throws where the work is to stop; called about every 100 ms. */
  yieldToEventLoop(): Promise<void>;
  /** Worker threads: as many as pay if not given; 0 runs all chains here. */
  workers?: number | undefined;
}

/** How well sampling went; figures that have no value are NaN. */
export interface Diagnostics extends Agreement {
  method: SamplingMethod;
  /** Warm-up of each chain. */
  tune: number;
  leastTailEss: number;
  /** Draws whose trajectory reached the greatest depth. */
  depthExceeded: number;
  leastEbfmi: number;
  /** Of importance weights; null where chains were run. */
  paretoShape: number | null;
  /** Of chains over some of the rows: how many, and how far posterior means are off at most, in standard deviations. */
  subsample: { rows: number; error: number } | null;
  converged: boolean;
  /** Evaluations of the log density and its gradient, warm-up included. */
  gradients: number;
  /** Of every parameter, in the order of their names; NaN where no chains were run. */
  parameters: ParameterConvergence[];
}

/** R-hat and effective sample sizes of one parameter. */
export interface ParameterConvergence extends Convergence {
  name: string;
}

export interface PosteriorDraws extends Diagnostics {
  posterior: Posterior;
  /** Natural scale, one array a chain: draws × d, row-major. */
  chains: Float64Array[];
}
