/** The extra zeros of a row: their share p = 1 / (1 + e^-ζ), one for all rows or a linear predictor's. */
import { log1pexp, sigmoid } from '../../special/logistic.ts';
import { fastExp, logOnePlus } from './fastMath.ts';

/** Figures of the row that `at` was last called for. */
export interface ExtraZeros {
  zeta: number;
  share: number;
  /** -log(1 - p). */
  soft: number;
  /** Of a row that is 0: the share of such rows that the count itself gives, and log P(0). */
  own: number;
  logZero: number;
}

export const extraZeros = (): ExtraZeros => ({ zeta: 0, share: 0, soft: 0, own: 0, logZero: 0 });

export function setConstant(extra: ExtraZeros, zeta: number): void {
  extra.zeta = zeta;
  extra.share = sigmoid(zeta);
  extra.soft = log1pexp(zeta);
}

export function setRow(extra: ExtraZeros, zeta: number): void {
  const e = fastExp(zeta > 0 ? -zeta : zeta);
  extra.zeta = zeta;
  extra.share = (zeta > 0 ? 1 : e) / (1 + e);
  extra.soft = Math.max(zeta, 0) + logOnePlus(e);
}

/** Of a row that is 0 and whose count is 0 with probability e^`log`: log(p + (1 - p) e^log). */
export function setZero(extra: ExtraZeros, log: number): void {
  const own = log - extra.zeta;
  const e = fastExp(own > 0 ? -own : own);
  extra.own = (own > 0 ? 1 : e) / (1 + e);
  extra.logZero = extra.zeta + Math.max(own, 0) + logOnePlus(e) - extra.soft;
}
