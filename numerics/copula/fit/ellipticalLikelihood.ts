/** Likelihoods of the Gaussian and t copulas from normal scores made once. Shapes: n rows. */
import { lgamma } from '../../special/gamma.ts';
import { studentScale } from '../studentScale.ts';
import { maximiseOne } from './maximise.ts';

const MOST = 0.9999;

/** The Gaussian's log-likelihood as a function of ρ, from three sums of the scores. */
export function gaussianLikelihood(
  x: Float64Array,
  y: Float64Array,
  weights: Float64Array | null,
): (rho: number) => number {
  let [total, squares, products] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const w = weights === null ? 1 : weights[i]!;
    total += w;
    squares += w * (x[i]! * x[i]! + y[i]! * y[i]!);
    products += w * x[i]! * y[i]!;
  }
  return (rho) => {
    const rest = (1 - rho) * (1 + rho);
    return -0.5 * total * Math.log(rest) - (rho * (rho * squares - 2 * products)) / (2 * rest);
  };
}

/** [ρ, ν] of the t copula with the greatest likelihood; `rho` fixes the first (τ inversion). ν from 2 to 50. */
export function fitStudent(
  x: Float64Array,
  y: Float64Array,
  weights: Float64Array | null,
  rho: number | undefined,
): [number, number] {
  let centre = rho ?? startOf(x, y);
  const n = x.length;
  const sum = new Float64Array(n);
  const product = new Float64Array(n);
  const profile = (logDf: number): [number, number] => {
    const df = Math.exp(logDf);
    const constant = studentRows(x, y, weights, df, sum, product);
    const likelihood = (r: number) => constant + studentSum(sum, product, weights, df, r);
    if (rho !== undefined) return [rho, likelihood(rho)];
    const width = 0.3 * (1 - Math.abs(centre)) + 0.02;
    const [low, high] = [Math.max(-MOST, centre - width), Math.min(MOST, centre + width)];
    let best = maximiseOne(likelihood, low, high, 1e-5);
    const atEnd = Math.min(best[0] - low, high - best[0]) < 1e-3 * (high - low);
    if (atEnd) best = maximiseOne(likelihood, -MOST, MOST, 1e-6);
    centre = best[0];
    return best;
  };
  const [logDf] = maximiseOne((s) => profile(s)[1], Math.log(2), Math.log(50), 1e-3);
  return [profile(logDf)[0], Math.min(Math.max(Math.exp(logDf), 2), 50)];
}

function startOf(x: Float64Array, y: Float64Array): number {
  let [xy, squares] = [0, 1e-300];
  for (let i = 0; i < x.length; i++) {
    xy += x[i]! * y[i]!;
    squares += 0.5 * (x[i]! * x[i]! + y[i]! * y[i]!);
  }
  return Math.min(Math.max(xy / squares, -MOST), MOST);
}

/** Fills (X² + Y²) / ν and 2XY / ν, X and Y the t quantiles; returns the part of the log-likelihood without ρ. */
function studentRows(
  x: Float64Array,
  y: Float64Array,
  weights: Float64Array | null,
  df: number,
  sum: Float64Array,
  product: Float64Array,
): number {
  const scale = studentScale(df);
  const constant = lgamma(0.5 * df + 1) - lgamma(0.5 * df) - Math.log(df * Math.PI) - 2 * scale.logConstant;
  let total = 0;
  for (let i = 0; i < x.length; i++) {
    const a = scale.quantileOfScore(x[i]!);
    const b = scale.quantileOfScore(y[i]!);
    sum[i] = (a * a + b * b) / df;
    product[i] = (2 * a * b) / df;
    const log = constant + 0.5 * (df + 1) * Math.log((1 + (a * a) / df) * (1 + (b * b) / df));
    total += weights === null ? log : weights[i]! * log;
  }
  return total;
}

/** Rows in a product before its logarithm is taken: four factors stay far from overflow. */
const FACTORS = 4;

function studentSum(
  sum: Float64Array,
  product: Float64Array,
  weights: Float64Array | null,
  df: number,
  rho: number,
): number {
  const rest = (1 - rho) * (1 + rho);
  let logs = 0;
  let total = 0;
  let factor = 1;
  for (let i = 0; i < sum.length; i++) {
    const form = 1 + (sum[i]! - rho * product[i]!) / rest;
    if (weights === null) {
      factor *= form;
      if (i % FACTORS === FACTORS - 1) {
        logs += Math.log(factor);
        factor = 1;
      }
      total += 1;
    } else {
      logs += weights[i]! * Math.log(form);
      total += weights[i]!;
    }
  }
  return -(0.5 * df + 1) * (logs + Math.log(factor)) - 0.5 * total * Math.log(rest);
}
