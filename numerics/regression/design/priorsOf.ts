/**
 * Priors of a design's coefficients, on the coefficients themselves: rstanarm's weakly informative ones for the intercept
 * and for what has an effect of its own, a shared learnt scale for what is shrunk.
 */
import type { Matrix, Pool, PredictorSpec, Prior } from '../spec.ts';
import { type Design, namesOf } from './design.ts';

/** Mean and standard deviation of the response on the scale of the linear predictor (0 and 1 on the logit's). */
export interface ResponseScale {
  mean: number;
  sd: number;
}

/** rstanarm's autoscale. */
const WEAK = 2.5;
/** Of the half-t prior on the scale that a pool learns, in units of the response's. */
const POOL_DF = 3;

export interface DesignPriors {
  /** One a column: intercept N(mean, 2.5 s_y), others N(0, 2.5 s_y / s_x). */
  priors: Prior[];
  /** τ ~ half-t(3, 0, s_y). */
  pools: Pool[];
}

/** A response that does not vary counts as one of standard deviation 1. */
export function priorsOf(design: Design, response: ResponseScale): DesignPriors {
  const sd = response.sd > 0 && Number.isFinite(response.sd) ? response.sd : 1;
  const priors = design.columns.map((column, j): Prior => {
    if (j === 0) return { kind: 'normal', mean: response.mean, sd: WEAK * sd };
    return { kind: 'normal', mean: 0, sd: (WEAK * sd) / column.sd };
  });
  const pools = design.pools.map(
    ({ name, columns, sds }): Pool => ({
      name,
      columns: Int32Array.from(columns),
      sds: Float64Array.from(sds),
      scale: { kind: 'student_t', df: POOL_DF, mean: 0, scale: sd },
    }),
  );
  return { priors, pools };
}

/** The linear predictor of `parameter` on the rows of `matrix`, which is the design's, applied. */
export function predictorSpec(
  design: Design,
  matrix: Matrix,
  response: ResponseScale,
  parameter = 'mu',
): Extract<PredictorSpec, { kind: 'linear' }> {
  return { kind: 'linear', parameter, design: matrix, names: namesOf(design), ...priorsOf(design, response) };
}
