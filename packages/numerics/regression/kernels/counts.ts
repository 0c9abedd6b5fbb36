import { boundedLogShape } from '../../distributions/family.ts';
import { lgamma } from '../../special/gamma.ts';
import { log1pexp, sigmoid } from '../../special/logistic.ts';
import type { RowKernel } from '../blockedLikelihood.ts';
import { fastExp, LARGE_COUNT, logOnePlus, nonzeroShare, riseOfCounts, VANISHING, weightedSum } from './fastMath.ts';

// Poisson: y η - e^η, minus Σ w log y!.

export function poissonKernel(y: Float64Array, w: Float64Array): RowKernel {
  const constant = -weightedSum(y, w, (value) => lgamma(value + 1));
  return {
    prepare() {},
    block(from, count, [eta], [d]) {
      let value = 0;
      for (let i = 0; i < count; i++) {
        const log = eta![i]!;
        const mu = fastExp(log);
        const weight = w[from + i]!;
        value += weight * (y[from + i]! * log - mu);
        d![i] = weight * (y[from + i]! - mu);
      }
      return value;
    },
    finish: () => constant,
  };
}

// Zero-truncated Poisson: y η - μ - log(1 - e^-μ), minus Σ w log y!.

export function truncatedPoissonKernel(y: Float64Array, w: Float64Array): RowKernel {
  const constant = -weightedSum(y, w, (value) => lgamma(value + 1));
  return {
    prepare() {},
    block(from, count, [eta], [d]) {
      let value = 0;
      for (let i = 0; i < count; i++) {
        const log = eta![i]!;
        const mu = fastExp(log);
        const outcome = y[from + i]!;
        const weight = w[from + i]!;
        if (mu < VANISHING) {
          value += weight * (outcome - 1) * log;
          d![i] = weight * (outcome - 1);
          continue;
        }
        const share = nonzeroShare(mu);
        value += weight * (outcome * log - mu - Math.log(share));
        d![i] = weight * (outcome - mu / share);
      }
      return value;
    },
    finish: () => constant,
  };
}

// Negative binomial with constant φ: y (η - s) - φ s, s = log(1 + μ/φ).

export function negativeBinomialKernel(y: Float64Array, w: Float64Array): RowKernel {
  const rise = riseOfCounts(y, w);
  let logPhi = 0;
  let phi = 1;
  return {
    prepare(constants) {
      logPhi = boundedLogShape(constants[1]!);
      phi = Math.exp(logPhi);
    },
    block(from, count, [eta], [d], constantGradient) {
      let value = 0;
      let byLogPhi = 0;
      for (let i = 0; i < count; i++) {
        const log = eta![i]!;
        const a = log - logPhi;
        const e = fastExp(a > 0 ? -a : a);
        const r = 1 / (1 + e);
        const share = a > 0 ? r : e * r; // μ / (μ + φ)
        const rest = a > 0 ? e * r : r;
        const log1p = logOnePlus(e);
        const soft = Math.max(a, 0) + log1p;
        const outcome = y[from + i]!;
        const power = outcome * (outcome < LARGE_COUNT ? log - soft : Math.min(a, 0) - log1p);
        const weight = w[from + i]!;
        value += weight * (power - phi * soft);
        byLogPhi -= weight * (outcome * rest + phi * (soft - share));
        d![i] = weight * (outcome * rest - phi * share);
      }
      constantGradient[1]! += byLogPhi;
      return value;
    },
    finish: (constantGradient) => rise(phi, logPhi, constantGradient),
  };
}

// Zero-truncated negative binomial: y (η - s) - u - log(1 - e^-u), s = log(1 + μ/φ), u = φ s.

/** log(1 + e^a) equals e^a below this. */
const SLIGHT = -37;

export function truncatedNegativeBinomialKernel(y: Float64Array, w: Float64Array): RowKernel {
  const rise = riseOfCounts(y, w);
  let logPhi = 0;
  let phi = 1;
  return {
    prepare(constants) {
      logPhi = boundedLogShape(constants[1]!);
      phi = Math.exp(logPhi);
    },
    block(from, count, [eta], [d], constantGradient) {
      let value = 0;
      let byLogPhi = 0;
      for (let i = 0; i < count; i++) {
        const log = eta![i]!;
        const a = log - logPhi;
        const e = fastExp(a > 0 ? -a : a);
        const r = 1 / (1 + e);
        const share = a > 0 ? r : e * r; // μ / (μ + φ)
        const rest = a > 0 ? e * r : r;
        const log1p = logOnePlus(e);
        const soft = Math.max(a, 0) + log1p;
        const u = phi * soft;
        const outcome = y[from + i]!;
        const power = outcome * (outcome < LARGE_COUNT ? log - soft : Math.min(a, 0) - log1p);
        const weight = w[from + i]!;
        if (u < VANISHING) {
          // log(1 - e^-u) is log u, with slope share / soft by η.
          const slope = a < SLIGHT ? 1 : share / soft;
          const logU = logPhi + (a < SLIGHT ? a : Math.log(soft));
          value += weight * (power - logU);
          byLogPhi -= weight * (outcome * rest + 1 - slope);
          d![i] = weight * (outcome * rest - slope);
          continue;
        }
        const nonzero = nonzeroShare(u);
        value += weight * (power - u - Math.log(nonzero));
        byLogPhi -= weight * (outcome * rest + (phi * (soft - share)) / nonzero);
        d![i] = weight * (outcome * rest - (phi * share) / nonzero);
      }
      constantGradient[1]! += byLogPhi;
      return value;
    },
    finish: (constantGradient) => rise(phi, logPhi, constantGradient),
  };
}

/** p = 1 / (1 + e^-ζ). */
interface ExtraZeros {
  zeta: number;
  share: number;
  /** -log(1 - p). */
  soft: number;
  /** For zeros: share of the count's own, and log P(0). */
  own: number;
  logZero: number;
}

const extraZeros = (): ExtraZeros => ({ zeta: 0, share: 0, soft: 0, own: 0, logZero: 0 });

function setConstant(extra: ExtraZeros, zeta: number): void {
  extra.zeta = zeta;
  extra.share = sigmoid(zeta);
  extra.soft = log1pexp(zeta);
}

function setRow(extra: ExtraZeros, zeta: number): void {
  const e = fastExp(zeta > 0 ? -zeta : zeta);
  extra.zeta = zeta;
  extra.share = (zeta > 0 ? 1 : e) / (1 + e);
  extra.soft = Math.max(zeta, 0) + logOnePlus(e);
}

/** log(p + (1 - p) e^log). */
function setZero(extra: ExtraZeros, log: number): void {
  const own = log - extra.zeta;
  const e = fastExp(own > 0 ? -own : own);
  extra.own = (own > 0 ? 1 : e) / (1 + e);
  extra.logZero = extra.zeta + Math.max(own, 0) + logOnePlus(e) - extra.soft;
}

// Zero-inflated Poisson; a zero has log(e^ζ + e^-μ) - log(1 + e^ζ).

export function zeroInflatedPoissonKernel(
  y: Float64Array,
  w: Float64Array,
  { isByRow }: { isByRow: boolean },
): RowKernel {
  const constant = -weightedSum(y, w, (value) => lgamma(value + 1));
  const extra = extraZeros();
  return {
    prepare(constants) {
      setConstant(extra, constants[1]!);
    },
    block(from, count, [eta, zeta], [d, byZeta], constantGradient) {
      let value = 0;
      let slope = 0;
      for (let i = 0; i < count; i++) {
        if (isByRow) setRow(extra, zeta![i]!);
        const log = eta![i]!;
        const mu = fastExp(log);
        const outcome = y[from + i]!;
        const weight = w[from + i]!;
        let byExtra = -weight * extra.share;
        if (outcome > 0) {
          value += weight * (outcome * log - mu - extra.soft);
          d![i] = weight * (outcome - mu);
        } else {
          setZero(extra, -mu);
          value += weight * extra.logZero;
          byExtra += weight * (1 - extra.own);
          d![i] = extra.own === 0 ? 0 : -weight * mu * extra.own;
        }
        if (isByRow) byZeta![i] = byExtra;
        else slope += byExtra;
      }
      constantGradient[1]! += slope;
      return value;
    },
    finish: () => constant,
  };
}

// Zero-inflated negative binomial; a zero has log(e^ζ + e^-u) - log(1 + e^ζ).

export function zeroInflatedNegativeBinomialKernel(
  y: Float64Array,
  w: Float64Array,
  { isByRow }: { isByRow: boolean },
): RowKernel {
  const rise = riseOfCounts(y, w);
  const extra = extraZeros();
  let logPhi = 0;
  let phi = 1;
  return {
    prepare(constants) {
      logPhi = boundedLogShape(constants[1]!);
      phi = Math.exp(logPhi);
      setConstant(extra, constants[2]!);
    },
    block(from, count, [eta, , zeta], [d, , byZeta], constantGradient) {
      let value = 0;
      let byLogPhi = 0;
      let slope = 0;
      for (let i = 0; i < count; i++) {
        if (isByRow) setRow(extra, zeta![i]!);
        const log = eta![i]!;
        const a = log - logPhi;
        const e = fastExp(a > 0 ? -a : a);
        const r = 1 / (1 + e);
        const share = a > 0 ? r : e * r; // μ / (μ + φ)
        const log1p = logOnePlus(e);
        const soft = Math.max(a, 0) + log1p;
        const outcome = y[from + i]!;
        const power = outcome * (outcome < LARGE_COUNT ? log - soft : Math.min(a, 0) - log1p);
        let weight = w[from + i]!;
        let byExtra = -weight * extra.share;
        if (outcome > 0) {
          value += weight * (power - phi * soft - extra.soft);
        } else {
          setZero(extra, -phi * soft);
          value += weight * extra.logZero;
          byExtra += weight * (1 - extra.own);
          weight *= extra.own;
        }
        const rest = outcome * (a > 0 ? e * r : r);
        byLogPhi -= weight * (rest + phi * (soft - share));
        d![i] = weight * (rest - phi * share);
        if (isByRow) byZeta![i] = byExtra;
        else slope += byExtra;
      }
      constantGradient[1]! += byLogPhi;
      constantGradient[2]! += slope;
      return value;
    },
    finish: (constantGradient) => rise(phi, logPhi, constantGradient),
  };
}
