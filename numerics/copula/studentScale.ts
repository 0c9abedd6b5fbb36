/** Student's t with ν degrees of freedom, ν ≥ 1, not only whole: distribution function and quantile. */
import { lgamma } from '../special/gamma.ts';
import { normalCdf, normalQuantile } from '../special/normal.ts';

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
