/** From a regression to its posterior density. */
import { coordinatesOf } from './coordinates.ts';
import { assemble, openLikelihood } from './openLikelihood.ts';
import type { Posterior } from './posterior.ts';
import { type PreparedRegression, prepareRegression } from './prepareRegression.ts';
import type { RegressionSpec } from './spec.ts';

/**
 * The posterior on unconstrained space: coefficients, constants on link scales, then log scales of pools.
 * What is costly is in `prepareRegression`; a thread that is sent its result opens it with `openPosterior`.
 */
export const createPosterior = (spec: RegressionSpec): Posterior => openPosterior(prepareRegression(spec));

export function openPosterior({ layout, data, centring, start }: PreparedRegression): Posterior {
  return assemble(openLikelihood(data), coordinatesOf(layout, centring), layout.names, start);
}
