/** exp and log by tables and short polynomials, within two ulps of Math. */
import { gammaRise, lgamma } from '../../special/gamma.ts';

const PER_DOUBLING = 64;
const STEP = Math.LN2 / PER_DOUBLING;
/** Few bits, so whole multiples are exact. */
const STEP_HIGH = Math.round(STEP * 2 ** 40) / 2 ** 40;
const STEP_LOW = STEP - STEP_HIGH + 2.3190468138462996e-17 / PER_DOUBLING;
const FRACTIONS = Float64Array.from({ length: PER_DOUBLING }, (_, j) => 2 ** (j / PER_DOUBLING));
const POWERS = Float64Array.from({ length: 2048 }, (_, k) => 2 ** (k - 1023));
const RANGE = 708;

export function fastExp(x: number): number {
  if (!(x > -RANGE && x < RANGE)) return Math.exp(x);
  const k = (x / STEP + (x < 0 ? -0.5 : 0.5)) | 0;
  const r = x - k * STEP_HIGH - k * STEP_LOW;
  const tail = r * r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120))));
  const fraction = FRACTIONS[k & (PER_DOUBLING - 1)]!;
  return (fraction + fraction * (r + tail)) * POWERS[(k >> 6) + 1023]!;
}

const CELLS = 128;
const LOGS = Float64Array.from({ length: CELLS + 1 }, (_, k) => Math.log1p(k / CELLS));
const INVERSES = Float64Array.from({ length: CELLS + 1 }, (_, k) => CELLS / (CELLS + k));

/** log(1 + e) for 0 ≤ e ≤ 1. */
export function logOnePlus(e: number): number {
  const k = (e * CELLS + 0.5) | 0;
  const r = (e - k / CELLS) * INVERSES[k]!;
  const square = r * r;
  const low = r - 0.5 * square;
  const high = 1 / 3 - 0.25 * r + square * (0.2 - r * (1 / 6));
  return LOGS[k]! + (low + square * r * high);
}

/** Σ log f, f > 0, by logarithms of products. */
export function sumOfLogs(factors: Float64Array, count: number): number {
  let sum = 0;
  let product = 1;
  for (let i = 0; i < count; i++) {
    const factor = factors[i]!;
    if (!(factor > 1e-100 && factor < 1e100)) {
      sum += Math.log(factor);
      continue;
    }
    product *= factor;
    if (!(product > 1e-100 && product < 1e100)) {
      sum += Math.log(product);
      product = 1;
    }
  }
  return sum + Math.log(product);
}

/** Products with smaller means may underflow. */
export const VANISHING = 1e-30;
/** 1 - e^-u keeps its digits above this. */
const APART = 0.5;

/** 1 - e^-u for u > 0. */
export const nonzeroShare = (u: number): number => (u > APART ? 1 - fastExp(-u) : -Math.expm1(-u));

/**
 * Below, y log φ is part of the sum over values, which keeps digits at large φ; above, rows have y (η - s - log φ), as
 * terms grow like y log y.
 */
export const LARGE_COUNT = 64;

/** Adds its derivative by log φ to `constantGradient[1]`. */
type RiseOfCounts = (phi: number, logPhi: number, constantGradient: Float64Array) => number;

export function riseOfCounts(y: Float64Array, w: Float64Array): RiseOfCounts {
  const [values, counts] = distinct(y, w);
  const logFactorials = values.map((value) => lgamma(value + 1));
  const rise = new Float64Array(2);
  return (phi, logPhi, constantGradient) => {
    const lgammaPhi = phi < values[values.length - 1]! ? lgamma(phi) : 0;
    let value = 0;
    for (let k = 0; k < values.length; k++) {
      const count = values[k]!;
      gammaRise(phi, logPhi, count, rise);
      constantGradient[1]! += counts[k]! * rise[1]!;
      if (count < LARGE_COUNT) value += counts[k]! * (rise[0]! - logFactorials[k]!);
      else if (phi >= count) value += counts[k]! * (rise[0]! + count * logPhi - logFactorials[k]!);
      else {
        const logCount = Math.log(count);
        gammaRise(count, logCount, phi, rise);
        value += counts[k]! * (rise[0]! + (phi - 1) * logCount - lgammaPhi);
      }
    }
    return value;
  };
}

function distinct(y: Float64Array, w: Float64Array): [Float64Array, Float64Array] {
  const counts = new Map<number, number>();
  for (let i = 0; i < y.length; i++) counts.set(y[i]!, (counts.get(y[i]!) ?? 0) + w[i]!);
  const values = Float64Array.from(counts.keys()).sort();
  return [values, values.map((value) => counts.get(value)!)];
}

export function weightedSum(y: Float64Array, w: Float64Array, f: (y: number) => number): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) if (w[i]! !== 0) sum += w[i]! * f(y[i]!);
  return sum;
}
