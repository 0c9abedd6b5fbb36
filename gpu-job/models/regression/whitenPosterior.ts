/** Where chains are whitened: at the mode, or, with few rows against columns, where the scale is not on its way to 0. */
import type { Whitening } from '../../../numerics/mcmc/whiten.ts';
import { createPosterior } from '../../../numerics/regression/createPosterior.ts';
import { findModeInSteps, type Mode } from '../../../numerics/regression/findMode.ts';
import type { Posterior } from '../../../numerics/regression/posterior.ts';
import type { PredictorSpec, RegressionSpec } from '../../../numerics/regression/spec.ts';
import { inSteps } from '../shared/inSteps.ts';
import type { PosteriorTask } from './posteriorTask.ts';

/** Rows a column from which the scale's joint mode is near its marginal one. */
const ENOUGH_ROWS = 4;
/** Where a scale is held, as a share of its prior's mean. */
const HELD_AT = 0.5;

/**
 * Coefficients of as many columns as rows fit the rows exactly, and the joint density is greatest where the scale is
 * next to nothing, though hardly any of its mass is there. Of that mode and the one with the scale held the one with
 * more mass around it is taken (by Laplace). Null past the size for which a Hessian is kept.
 */
export async function whitenPosterior(
  { spec, start, breathe }: Pick<PosteriorTask, 'spec' | 'start' | 'breathe'>,
  posterior: Posterior,
): Promise<{ position: Float64Array; whitening: Whitening | null }> {
  const mode = await inSteps(findModeInSteps(posterior, start), breathe);
  const held = holdScale(spec);
  const other = held && (await inSteps(findModeInSteps(createPosterior(held), start), breathe));
  const { position, factor } = other ? heavier(posterior, mode, other) : mode;
  return { position, whitening: factor ? { mode: position, factor } : null };
}

/** The regression with a scale that data cannot move; null where there are rows enough, or there is no such scale. */
function holdScale(spec: RegressionSpec): RegressionSpec | null {
  const columns = spec.predictors[0]?.kind === 'linear' ? spec.predictors[0].design.cols : 0;
  let isHeld = false;
  const predictors = spec.predictors.map((own): PredictorSpec => {
    if (own.kind !== 'constant' || own.prior.kind !== 'exponential_above') return own;
    const { rate, rows } = own.prior;
    if (rows >= ENOUGH_ROWS * columns) return own;
    isHeld = true;
    const shape = 2 * rows + 8;
    return { ...own, prior: { kind: 'gamma', shape, rate: (shape * rate) / HELD_AT } };
  });
  return isHeld ? { ...spec, predictors } : null;
}

function heavier(posterior: Posterior, one: Mode, other: Mode): Mode {
  return massAround(posterior, other) > massAround(posterior, one) ? other : one;
}

/** Log density less half the log determinant of the curvature; -Infinity where there is none. */
function massAround(posterior: Posterior, { position, factor }: Mode): number {
  const d = posterior.dimension;
  if (!factor) return Number.NEGATIVE_INFINITY;
  let mass = posterior.evaluate(position, new Float64Array(d));
  for (let i = 0; i < d; i++) mass -= Math.log(factor[i * d + i]!);
  return Number.isNaN(mass) ? Number.NEGATIVE_INFINITY : mass;
}
