/** The linear predictors of rows under one posterior draw after another. K = parameters of the family. */
import type { Link } from '../../../numerics/distributions/family.ts';
import { applyDesign } from '../../../numerics/regression/design/applyDesign.ts';
import type { Predictor } from '../../../numerics/regression/design/predictors.ts';
import type { Matrix } from '../../../numerics/regression/spec.ts';
import type { PlannedPredictor } from './planRegression.ts';

/** Writes η (K) of a row under the parameters θ, which begin at `at` of `draws`. */
export type EtaOf = (row: number, draws: Float32Array | Float64Array, at: number, eta: Float64Array) => void;

/** Added to one parameter's linear predictor, a number a row. */
export interface Offsets {
  parameter: string;
  values: Float64Array;
}

/**
 * A function of n rows that have the designs' predictors. θ: coefficients of each design, one number for a constant, on
 * its link's scale, in the family's order.
 */
export function etaOf(
  planned: readonly PlannedPredictor[],
  offsets: Offsets | null,
  predictors: readonly Predictor[],
  n: number,
): EtaOf {
  let from = 0;
  const terms = planned.map(({ design, parameter }) => {
    const term = {
      matrix: design ? applyDesign(design, predictors, n) : null,
      offset: offsets?.parameter === parameter.name ? offsets.values : null,
      from,
    };
    from += design ? design.columns.length : 1;
    return term;
  });
  return (row, draws, at, eta) => {
    terms.forEach(({ matrix, offset, from: first }, k) => {
      const own = matrix ? rowTimes(matrix, row, draws, at + first) : draws[at + first]!;
      eta[k] = offset ? own + offset[row]! : own;
    });
  };
}

function rowTimes(matrix: Matrix, row: number, draws: Float32Array | Float64Array, at: number): number {
  let sum = 0;
  if (matrix.kind === 'dense') {
    const base = row * matrix.cols;
    for (let j = 0; j < matrix.cols; j++) sum += matrix.values[base + j]! * draws[at + j]!;
    return sum;
  }
  for (let k = matrix.offsets[row]!; k < matrix.offsets[row + 1]!; k++) {
    sum += matrix.values[k]! * draws[at + matrix.at[k]!]!;
  }
  return sum;
}

/** A constant on its link's scale. */
export function onLink(link: Link, natural: number): number {
  if (link === 'identity') return natural;
  if (link === 'log') return Math.log(natural);
  if (link === 'logit') return Math.log(natural) - Math.log1p(-natural);
  return Math.log(natural - 1);
}
