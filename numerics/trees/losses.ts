/** Losses of boosting: where to start, and the derivatives with respect to the raw prediction. */
import type { Derivatives } from './histogram.ts';

export type LossName = 'squared' | 'logistic';

export interface Loss {
  /** Whether the hessian is 1 for every row. */
  unitHessian: boolean;
  /** The best constant raw prediction. Throws RangeError where a target is outside the loss's range. */
  baseline(target: Float64Array): number;
  /** Writes the derivatives at the raw predictions. */
  derivatives(target: Float64Array, raw: Float64Array, out: Derivatives): void;
  /** From a raw prediction to the target's scale. */
  response(raw: number): number;
}

/** ½ (y − f)²; any finite target. */
const squared: Loss = {
  unitHessian: true,
  baseline: meanOf,
  derivatives(target, raw, out) {
    for (let row = 0; row < target.length; row++) out.gradient[row] = raw[row]! - target[row]!;
  },
  response: (raw) => raw,
};

/** −y f + log(1 + exp f); targets 0 or 1, the response is P(y = 1). */
const logistic: Loss = {
  unitHessian: false,
  baseline(target) {
    if (target.some((value) => value !== 0 && value !== 1)) throw new RangeError('a logistic target must be 0 or 1');
    // Half a row of each keeps the log-odds finite where only one of them occurs.
    const share = (meanOf(target) * target.length + 0.5) / (target.length + 1);
    return Math.log(share / (1 - share));
  },
  derivatives(target, raw, out) {
    for (let row = 0; row < target.length; row++) {
      const probability = sigmoid(raw[row]!);
      out.gradient[row] = probability - target[row]!;
      out.hessian![row] = probability * (1 - probability);
    }
  },
  response: sigmoid,
};

export const LOSSES: Readonly<Record<LossName, Loss>> = { squared, logistic };

function sigmoid(raw: number): number {
  return 1 / (1 + Math.exp(-raw));
}

function meanOf(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total / values.length;
}
