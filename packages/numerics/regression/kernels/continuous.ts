import { boundedLogShape } from '../../distributions/family.ts';
import { digamma, gammaNormaliser, gammaRise, HALF_LOG_2PI, lgamma, lgammaDigamma } from '../../special/gamma.ts';
import type { RowKernel } from '../blockedLikelihood.ts';
import { fastExp, logOnePlus, sumOfLogs, weightedSum } from './fastMath.ts';

// Gaussian rows with a predictor for log σ: -log σ - ((y - μ)/σ)²/2.

/** `constant`: added to the log density, such as a lognormal's Jacobian. */
export function gaussianKernel(y: Float64Array, w: Float64Array, constant: number): RowKernel {
  const normaliser = constant - 0.5 * Math.log(2 * Math.PI) * weightedSum(y, w, () => 1);
  return {
    prepare() {},
    block(from, count, [mu, logSigma], [byMu, bySigma]) {
      let value = 0;
      for (let i = 0; i < count; i++) {
        const inverse = fastExp(-logSigma![i]!);
        const z = (y[from + i]! - mu![i]!) * inverse;
        const weight = w[from + i]!;
        value -= weight * (logSigma![i]! + 0.5 * z * z);
        byMu![i] = weight * z * inverse;
        bySigma![i] = weight * (z * z - 1);
      }
      return value;
    },
    finish: () => normaliser,
  };
}

// Student t rows with constant σ and ν: -(ν + 1)/2 log(1 + z²/ν).

export function studentTKernel(y: Float64Array, w: Float64Array): RowKernel {
  const total = weightedSum(y, w, () => 1);
  const isPlain = w.every((weight) => weight === 1);
  const factors = new Float64Array(256);
  const rise = new Float64Array(2);
  let logSigma = 0;
  let etaNu = 0;
  let nu = 2;
  /** 1 / (ν σ²). */
  let rate = 1;
  return {
    prepare(constants) {
      logSigma = constants[1]!;
      etaNu = constants[2]!;
      nu = 1 + Math.exp(boundedLogShape(etaNu));
      rate = Math.exp(-2 * logSigma) / nu;
    },
    block(from, count, [eta], [d], constantGradient) {
      let logs = 0;
      let shares = 0;
      for (let i = 0; i < count; i++) {
        const distance = y[from + i]! - eta![i]!;
        const pull = distance * rate;
        const ratio = distance * pull;
        const weight = w[from + i]!;
        const factor = 1 + ratio;
        factors[i] = factor;
        if (!isPlain) logs += weight * Math.log1p(ratio);
        shares += weight * (1 - 1 / factor);
        d![i] = (weight * (nu + 1) * pull) / factor;
      }
      if (isPlain) logs = sumOfLogs(factors, count);
      constantGradient[1]! += (nu + 1) * shares;
      constantGradient[2]! += 0.5 * ((nu + 1) * shares - nu * logs);
      return -0.5 * (nu + 1) * logs;
    },
    finish(constantGradient) {
      const half = 0.5 * nu;
      gammaRise(half, Math.log(half), 0.5, rise);
      constantGradient[1]! -= total;
      // d log ν / d η = (ν - 1) / ν.
      constantGradient[2] = ((constantGradient[2]! + total * (rise[1]! - 0.5)) * (nu - 1)) / nu;
      return total * (rise[0]! - HALF_LOG_2PI - logSigma);
    },
  };
}

// Gamma rows with constant shape a: a (δ - e^δ + 1), δ = log y - η.

/** A series keeps digits for large shapes below this. */
const NEAR = 1e-3;

export function gammaKernel(y: Float64Array, w: Float64Array): RowKernel {
  const logY = y.map((value) => Math.log(value));
  const constant = -weightedSum(logY, w, (value) => value);
  const total = weightedSum(y, w, () => 1);
  const normaliser = new Float64Array(2);
  let logShape = 0;
  let shape = 1;
  return {
    prepare(constants) {
      logShape = boundedLogShape(constants[1]!);
      shape = Math.exp(logShape);
    },
    block(from, count, [eta], [d], constantGradient) {
      let value = 0;
      for (let i = 0; i < count; i++) {
        const delta = logY[from + i]! - eta![i]!;
        const excess =
          delta > -NEAR && delta < NEAR
            ? delta * (1 + delta * (0.5 + delta * (1 / 6 + delta * (1 / 24 + delta / 120))))
            : fastExp(delta) - 1;
        const weight = w[from + i]! * shape;
        value += weight * (delta - excess);
        d![i] = weight * excess;
      }
      constantGradient[1]! += value;
      return value;
    },
    finish(constantGradient) {
      gammaNormaliser(shape, logShape, normaliser);
      constantGradient[1]! += total * normaliser[1]!;
      return total * normaliser[0]! + constant;
    },
  };
}

// Beta rows with constant φ: a = μφ, b = (1 - μ)φ, log Γ(φ) - log Γ(a) - log Γ(b) + (a - 1) log y + (b - 1) log(1 - y).

/** `fallback`: for large φ, as gamma functions cancel. */
export function betaKernel(y: Float64Array, w: Float64Array, fallback: RowKernel): RowKernel {
  const logY = y.map((value) => Math.log(value));
  const logRest = y.map((value) => Math.log1p(-value));
  const total = weightedSum(y, w, () => 1);
  const constant = -weightedSum(logY, w, (value) => value) - weightedSum(logRest, w, (value) => value);
  const first = new Float64Array(2);
  const second = new Float64Array(2);
  let phi = 1;
  let isFar = false;
  return {
    prepare(constants) {
      phi = Math.exp(constants[1]!);
      isFar = !(phi < FAR && phi > 1 / FAR);
      if (isFar) fallback.prepare(constants);
    },
    block(from, count, eta, d, constantGradient) {
      if (isFar) return fallback.block(from, count, eta, d, constantGradient);
      let value = 0;
      let byLogPhi = 0;
      for (let i = 0; i < count; i++) {
        const logit = eta[0]![i]!;
        const e = fastExp(logit > 0 ? -logit : logit);
        const r = 1 / (1 + e);
        const mu = logit > 0 ? r : e * r;
        const rest = logit > 0 ? e * r : r;
        const a = mu * phi;
        const b = rest * phi;
        lgammaDigamma(a, first);
        lgammaDigamma(b, second);
        const weight = w[from + i]!;
        const byA = logY[from + i]! - first[1]!;
        const byB = logRest[from + i]! - second[1]!;
        value += weight * (a * logY[from + i]! + b * logRest[from + i]! - first[0]! - second[0]!);
        byLogPhi += weight * (a * byA + b * byB);
        d[0]![i] = weight * a * rest * (byA - byB);
      }
      constantGradient[1]! += byLogPhi;
      return value;
    },
    finish(constantGradient) {
      if (isFar) return fallback.finish(constantGradient);
      constantGradient[1]! += total * phi * digamma(phi);
      return total * lgamma(phi) + constant;
    },
  };
}

const FAR = 1e6;

// Bernoulli rows: y η - log(1 + e^η).

export const bernoulliKernel = (y: Float64Array, w: Float64Array): RowKernel => ({
  prepare() {},
  block(from, count, [eta], [d]) {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const logit = eta![i]!;
      const e = fastExp(-Math.abs(logit));
      const share = (logit < 0 ? e : 1) / (1 + e);
      const outcome = y[from + i]!;
      const weight = w[from + i]!;
      value += weight * (outcome * logit - Math.max(logit, 0) - logOnePlus(e));
      d![i] = weight * (outcome - share);
    }
    return value;
  },
  finish: () => 0,
});
