/** Responses near each linear predictor's scale, for fitting designs. */
import type { FamilyName } from '../distributions/families.ts';
import type { WorkingResponse } from './design/fitDesign.ts';

const LOG_MEAN: ReadonlySet<FamilyName> = new Set([
  'poisson',
  'negative_binomial',
  'zero_inflated_poisson',
  'zero_inflated_negative_binomial',
]);
const LOG_POSITIVE: ReadonlySet<FamilyName> = new Set([
  'gamma',
  'lognormal',
  'hurdle_gamma',
  'hurdle_lognormal',
  'hurdle_poisson',
  'hurdle_negative_binomial',
]);
const SHARES: ReadonlySet<FamilyName> = new Set([
  'beta',
  'zero_inflated_beta',
  'one_inflated_beta',
  'zero_one_inflated_beta',
]);

/** Uninformative rows, such as zeros of a hurdle, have weight 0. */
export function locationResponse(family: FamilyName, y: Float64Array): WorkingResponse {
  if (LOG_MEAN.has(family)) return { values: y.map((value) => Math.log(value + 0.5)), weights: null };
  if (LOG_POSITIVE.has(family)) return where(y, (value) => value > 0, Math.log);
  if (SHARES.has(family)) {
    return where(
      y,
      (value) => value > 0 && value < 1,
      (value) => Math.log(value) - Math.log1p(-value),
    );
  }
  return { values: y, weights: null };
}

/** Ones are modelled among nonzero rows. */
export function atomResponse(parameter: string, y: Float64Array): WorkingResponse {
  if (parameter === 'zero') return { values: y.map((value) => (value === 0 ? 1 : 0)), weights: null };
  return where(
    y,
    (value) => value > 0,
    (value) => (value === 1 ? 1 : 0),
  );
}

function where(
  y: Float64Array,
  isIn: (value: number) => boolean,
  transform: (value: number) => number,
): WorkingResponse {
  if (y.every(isIn)) return { values: y.map(transform), weights: null };
  return {
    values: y.map((value) => (isIn(value) ? transform(value) : 0)),
    weights: y.map((value) => (isIn(value) ? 1 : 0)),
  };
}

/** Mean 0 and sd 1 without rows. */
export function momentsOf({ values, weights }: WorkingResponse): { mean: number; sd: number; rows: number } {
  let rows = 0;
  let mean = 0;
  values.forEach((value, row) => {
    if (weights && weights[row] === 0) return;
    rows++;
    mean += (value - mean) / rows;
  });
  let squares = 0;
  values.forEach((value, row) => {
    if (!weights || weights[row]! > 0) squares += (value - mean) ** 2;
  });
  return rows > 0 ? { mean, sd: Math.sqrt(squares / Math.max(1, rows - 1)), rows } : { mean: 0, sd: 1, rows };
}

/**
 * Minimum error in standard deviations: a predictor that determines the target must not pull its scale to 0. Changes
 * the scale by 5e-5 at R² 0.9999.
 */
export const EXACT = 1e-4;
