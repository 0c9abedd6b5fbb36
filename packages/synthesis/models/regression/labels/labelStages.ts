/**
 * Splits a categorical target into binary questions (first level or later, and so on): continuation ratios (Fienberg,
 * 1980) of ordered levels, nested dichotomies of others. The likelihood factorises into logistic regressions.
 */

import type { RandomStream } from '../../../../numerics/random/stream.ts';
import { slicePredictors } from '../../../../numerics/regression/design/applyDesign.ts';
import type { Predictor } from '../../../../numerics/regression/design/design.ts';
import { eachPredictive, linearPredictors, type PredictiveModel } from '../../../../numerics/regression/predict.ts';
import { sigmoid } from '../../../../numerics/special/logistic.ts';
import { levelOrder } from './levelOrder.ts';

export interface AskedLevels {
  /** In the order asked; the last is what remains. */
  codes: number[];
  ordered: boolean;
}

/**
 * Asks for the lowest or most frequent level first; of two, for the higher or rarer, which coefficients then describe.
 */
export function askedLevels(levels: readonly string[], rows: Int32Array, taken: readonly number[]): AskedLevels {
  const order = levelOrder(taken.map((code) => levels[code]!));
  const codes = order ? order.map((at) => taken[at]!) : [...taken].sort((a, b) => rows[b]! - rows[a]! || a - b);
  return { codes: codes.length === 2 ? codes.reverse() : codes, ordered: order !== null };
}

/** Returns probabilities (n × K), each row under one random draw of each posterior. */
export function drawnProbabilities(
  stages: readonly PredictiveModel[],
  predictors: readonly Predictor[],
  n: number,
  random: RandomStream,
): Float64Array {
  const shares = stages.map((stage) => {
    const own = new Float64Array(n);
    eachPredictive(stage, predictors, n, random, (row, eta) => {
      own[row] = sigmoid(eta[0]!);
    });
    return own;
  });
  return fromAnswers(shares, n);
}

const BLOCK_ROWS = 5_000;

/** Returns posterior mean probabilities (n × K). */
export function meanProbabilities(
  stages: readonly PredictiveModel[],
  predictors: readonly Predictor[],
  n: number,
): Float64Array {
  const shares = stages.map((stage) => {
    const own = new Float64Array(n);
    const draws = stage.draws.length / stage.width;
    const eta = new Float64Array(1);
    for (let from = 0; from < n; from += BLOCK_ROWS) {
      const to = Math.min(n, from + BLOCK_ROWS);
      const fill = linearPredictors(stage, slicePredictors(predictors, from, to), to - from);
      for (let row = from; row < to; row++) {
        for (let s = 0; s < draws; s++) {
          fill(row - from, s * stage.width, eta);
          own[row]! += sigmoid(eta[0]!) / draws;
        }
      }
    }
    return own;
  });
  return fromAnswers(shares, n);
}

function fromAnswers(shares: readonly Float64Array[], n: number): Float64Array {
  const kinds = shares.length + 1;
  const out = new Float64Array(n * kinds);
  for (let row = 0; row < n; row++) {
    let left = 1;
    shares.forEach((share, k) => {
      out[row * kinds + k] = left * share[row]!;
      left *= 1 - share[row]!;
    });
    out[row * kinds + kinds - 1] = left;
  }
  return out;
}
