/** What the Gaussian and Student copulas share: quantiles of t, bivariate distribution functions, likelihoods of the correlation. */
import { brent } from '../optimise/brent.ts';
import { lgamma } from '../special/gamma.ts';
import { normalCdf, normalQuantile } from '../special/normal.ts';
import { integrateUnit } from './quadrature.ts';

const PIECE = 0.4;
const PIECES = 17;
const DEGREE = 11;

export interface StudentScale {
  /** P(T ≤ x), relative error in the lower tail about 1e-13. */
  cdf(x: number): number;
  /** The x with P(T ≤ x) = Φ(z), for |z| ≤ 6.8: by Chebyshev pieces made once. Relative error below 1e-12. */
  quantileOfScore(z: number): number;
  /** Log of the density's constant: log f(x) = constant - ½(ν+1) log(1 + x²/ν). */
  logConstant: number;
}

export function studentScale(df: number): StudentScale {
  const logConstant = lgamma(0.5 * (df + 1)) - lgamma(0.5 * df) - 0.5 * Math.log(df * Math.PI);
  const cdf = (x: number) => {
    const tail = upperTail(Math.abs(x), df, logConstant);
    return x > 0 ? 1 - tail : tail;
  };
  let table: Float64Array | undefined;
  const quantileOfScore = (z: number) => {
    table ??= makeTable(df, logConstant);
    const size = Math.min(Math.abs(z), PIECE * PIECES);
    return z * Math.exp(chebyshev(table, size));
  };
  return { cdf, quantileOfScore, logConstant };
}

/** P(T > x), x ≥ 0: half of the incomplete beta function I(ν/(ν+x²); ν/2, ½), by Lentz's continued fraction. */
function upperTail(x: number, df: number, logConstant: number): number {
  const square = x * x;
  const w = df / (df + square);
  const a = 0.5 * df;
  // x²/(ν+x²) to the half, (ν/(ν+x²))^(ν/2), and 1/(ν/2 · B(ν/2, ½)) from the density's constant.
  const logFront = -a * Math.log1p(square / df) + logConstant + 0.5 * Math.log(df);
  if (w > (a + 1) / (a + 2.5)) {
    const front = Math.exp(logFront) * (x / Math.sqrt(df + square));
    return 0.5 - front * betaFraction(1 - w, 0.5, a);
  }
  return Math.exp(logFront) * (x / Math.sqrt(df + square)) * (0.5 / a) * betaFraction(w, a, 0.5);
}

/** The continued fraction of the incomplete beta function (DLMF 8.17.22). */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < 400; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return value;
}

/** log(x / z) as Chebyshev coefficients, one set of DEGREE + 1 for each piece of z: even in z and smooth. */
function makeTable(df: number, logConstant: number): Float64Array {
  const count = DEGREE + 1;
  const table = new Float64Array(PIECES * count);
  const values = new Float64Array(count);
  let guess = Number.NaN;
  for (let piece = 0; piece < PIECES; piece++) {
    for (let k = DEGREE; k >= 0; k--) {
      const z = PIECE * (piece + 0.5 + 0.5 * Math.cos((Math.PI * (k + 0.5)) / count));
      guess = solveUpper(z, df, logConstant, guess);
      values[k] = Math.log(guess / z);
    }
    for (let j = 0; j < count; j++) {
      let sum = 0;
      for (let k = 0; k < count; k++) sum += values[k]! * Math.cos((Math.PI * j * (k + 0.5)) / count);
      table[piece * count + j] = ((j === 0 ? 1 : 2) * sum) / count;
    }
  }
  return table;
}

/** The x > 0 with P(T > x) = P(Z > z): Newton on the log of both, as functions of log x. */
function solveUpper(z: number, df: number, logConstant: number, guess: number): number {
  const goal = Math.log(normalCdf(-z));
  let x = Number.isNaN(guess) ? z : Math.max(guess, z);
  for (let step = 0; step < 60; step++) {
    const tail = upperTail(x, df, logConstant);
    const density = Math.exp(logConstant - 0.5 * (df + 1) * Math.log1p((x * x) / df));
    const move = ((Math.log(tail) - goal) * tail) / (density * x);
    const next = x * Math.exp(Math.min(Math.max(move, -1), 1));
    const done = Math.abs(next - x) <= 1e-15 * x || (step > 4 && Math.abs(next - x) <= 1e-14 * x);
    x = next;
    if (done) break;
  }
  return x;
}

function chebyshev(table: Float64Array, size: number): number {
  const piece = Math.min(Math.floor(size / PIECE), PIECES - 1);
  const x = 2 * (size / PIECE - piece) - 1;
  const start = piece * (DEGREE + 1);
  let [b1, b2] = [0, 0];
  for (let j = DEGREE; j >= 1; j--) {
    const next = 2 * x * b1 - b2 + table[start + j]!;
    b2 = b1;
    b1 = next;
  }
  return x * b1 - b2 + table[start]!;
}

/** The x with P(T ≤ x) = u. */
export const studentQuantile = (scale: StudentScale, u: number): number => scale.quantileOfScore(normalQuantile(u));

// Distribution functions of the bivariate normal and t, by Plackett's (1954) derivative in the correlation: ∂F/∂ρ =
// (1 / 2π√(1-ρ²)) g(q(ρ)), with ρ = sin θ and integrated from the comonotone (ρ = ±1) end, where F is known.

const HALF_PI = 0.5 * Math.PI;

/**
 * P(X ≤ x, Y ≤ y), given p = P(X ≤ x), q = P(Y ≤ y) of the margins. `generator(s)` is g: exp(-s/2) for the normal,
 * (1 + s/ν)^(-ν/2) for the t. |ρ| < 1. About 1e-13.
 */
export function ellipticalCdf(
  x: number,
  y: number,
  p: number,
  q: number,
  rho: number,
  generator: (s: number) => number,
): number {
  if (rho < 0) return Math.max(0, p - ellipticalCdf(x, -y, p, 1 - q, -rho, generator));
  const width = HALF_PI - Math.asin(rho);
  const gap = (x - y) * (x - y);
  const product = 2 * x * y;
  // θ = π/2 - width·t: cos θ = sin(width·t) without cancellation.
  const missing = integrateUnit((t) => {
    const cosine = Math.sin(width * t);
    const square = cosine * cosine;
    return square === 0
      ? gap > 0
        ? 0
        : generator(0.5 * product)
      : generator(gap / square + product / (1 + Math.cos(width * t)));
  });
  return Math.max(0, Math.min(p, q) - (width * missing) / (2 * Math.PI));
}

// Likelihoods of the Gaussian and t copulas from normal scores made once. Shapes: n rows.

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
    let best = brent(likelihood, low, high, 1e-5);
    const atEnd = Math.min(best[0] - low, high - best[0]) < 1e-3 * (high - low);
    if (atEnd) best = brent(likelihood, -MOST, MOST, 1e-6);
    centre = best[0];
    return best;
  };
  const [logDf] = brent((s) => profile(s)[1], Math.log(2), Math.log(50), 1e-3);
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
