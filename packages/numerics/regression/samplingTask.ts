import type { Convergence } from '../mcmc/diagnostics.ts';
import type { RandomStream } from '../random/stream.ts';
import type { Posterior } from './posterior.ts';
import type { Sampler } from './samplers.ts';
import type { RegressionSpec } from './spec.ts';

export const CHAINS = 4;

export interface Agreement {
  worstRHat: number;
  leastBulkEss: number;
  divergences: number;
}

/** `parameter`: the part being sampled, if any. */
export type SamplingProgress = { parameter: string | null } & (
  | { fact: 'chains_sampled'; done: number; total: number; divergences: number }
  | ({ fact: 'chains_repeated' } & Agreement)
  | { fact: 'importance_sampling'; rows: number }
  | { fact: 'proposals_weighted'; done: number; total: number }
  | { fact: 'approximation_rejected'; paretoShape: number }
  | { fact: 'rows_chosen'; rows: number; total: number }
  | { fact: 'rows_rejected'; error: number }
);

/** Throws to stop. */
export type OnSamplingProgress = (progress: SamplingProgress) => void | Promise<void>;

export type SamplingMethod = 'chains' | 'subsample' | 'importance';

export interface PosteriorTask {
  spec: RegressionSpec;
  /** Where to search for the mode. */
  start: Float64Array;
  draws: number;
  tune: number;
  sampler?: Sampler;
  random: RandomStream;
  onProgress: OnSamplingProgress;
  /** Throws to stop; called about every 100 ms. */
  yieldToEventLoop(): Promise<void>;
  /** Number of threads; 0 uses this thread. By default, as few as save time. */
  workers?: number | undefined;
}

/** Unavailable figures are NaN. */
export interface Diagnostics extends Agreement {
  method: SamplingMethod;
  tune: number;
  leastTailEss: number;
  /** Draws at maximum tree depth. */
  depthExceeded: number;
  leastEbfmi: number;
  /** Null for chains. */
  paretoShape: number | null;
  /** Rows used, and error of posterior means in standard deviations. */
  subsample: { rows: number; error: number } | null;
  converged: boolean;
  /** Includes warm-up. */
  gradients: number;
  /** NaN without chains. */
  parameters: ParameterConvergence[];
}

/** R-hat and effective sample sizes of a parameter. */
export interface ParameterConvergence extends Convergence {
  name: string;
}

export interface PosteriorDraws extends Diagnostics {
  posterior: Posterior;
  /** Natural-scale draws × d per chain, row-major. */
  chains: Float64Array[];
}
