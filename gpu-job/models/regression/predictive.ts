/** Draws from the posterior predictive distribution, one posterior draw a row. */
import { familyOf } from '../../../numerics/distributions/families.ts';
import type { FamilyName, ResponseFamily } from '../../../numerics/distributions/family.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Design } from '../../../numerics/regression/design/design.ts';
import type { Predictor } from '../../../numerics/regression/design/predictors.ts';
import type { ModelTable } from '../model.ts';
import { etaOf } from './linearPredictors.ts';
import { predictorsBetween } from './predictorsOf.ts';
import { type FittedScale, logFactorsOf } from './scaleByGroups.ts';

/** A fitted regression, as far as prediction asks. */
export interface PredictiveModel {
  family: FamilyName;
  /** Columns that the designs were learnt from. */
  given: readonly string[];
  /** One a parameter of the family; null for a constant or a scale by groups. */
  designs: readonly (Design | null)[];
  scale: FittedScale | null;
  /** Posterior draws of θ (as `etaOf` has it), row by row. */
  draws: Float32Array;
  /** Length of θ. */
  width: number;
}

/** Rows for which designs are applied at once. */
const BLOCK_ROWS = 20_000;

/** Calls `take` with each row from `from` to `to` - 1 and its η under a random posterior draw. */
export function eachPredictive(
  model: PredictiveModel,
  table: ModelTable,
  from: number,
  to: number,
  random: RandomStream,
  take: (row: number, eta: Float64Array) => void,
): void {
  const count = model.draws.length / model.width;
  for (let start = from; start < to; start += BLOCK_ROWS) {
    const end = Math.min(to, start + BLOCK_ROWS);
    const predictors = predictorsBetween(table, model.given, start, end);
    const fill = etaOfRows(model, predictors, end - start);
    const eta = new Float64Array(model.designs.length);
    for (let row = start; row < end; row++) {
      fill(row - start, model.draws, random.integer(count) * model.width, eta);
      take(row, eta);
    }
  }
}

/** As `etaOf`, for a fitted model. */
export function etaOfRows(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  n: number,
): ReturnType<typeof etaOf> {
  const planned = familyOf(model.family).parameters.map((parameter, k) => ({ parameter, design: model.designs[k]! }));
  const { scale } = model;
  const offsets = scale && {
    parameter: 'sigma',
    values: logFactorsOf(scale, { predictors: planned }, predictors, n),
  };
  return etaOf(planned, offsets, predictors, n);
}

/**
 * A draw as a number without atoms, in the order of the draws: equal counts lie apart within their unit cell, atoms at the
 * ends within a unit beyond them. What compares draws by their order needs that.
 */
export function withoutAtoms(family: ResponseFamily, y: number, random: RandomStream): number {
  if (family.measure === 'continuous') return y;
  if (family.measure === 'counts') return y + random.uniform() - 0.5;
  if (y === 0) return -random.uniform();
  return y === 1 && family.parameters.some(({ name }) => name === 'one') ? 1 + random.uniform() : y;
}
