/**
 * A label as questions with two answers: is it the first level; if not, is it the second; and so on. Of ordered levels these are
 * the continuation ratios (Fienberg, 1980), of others nested dichotomies. The likelihood of the labels is the product of those of
 * the answers, so that each question is a logistic regression of its own, on the rows that come so far.
 */

import type { RandomStream } from '../../../../numerics/random/stream.ts';
import { slicePredictors } from '../../../../numerics/regression/design/applyDesign.ts';
import type { Predictor } from '../../../../numerics/regression/design/design.ts';
import { eachPredictive, linearPredictors, type PredictiveModel } from '../../../../numerics/regression/predict.ts';
import { sigmoid } from '../../../../numerics/special/logistic.ts';
import { levelOrder } from './levelOrder.ts';

export interface AskedLevels {
  /** Codes of the levels in the order in which they are asked for; the last is what is left. */
  codes: number[];
  ordered: boolean;
}

/**
 * The least level first where they have an order, else the most frequent. Of two, the one that is asked for is the higher, else
 * the rarer, so that coefficients say what speaks for it.
 */
export function askedLevels(levels: readonly string[], rows: Int32Array, taken: readonly number[]): AskedLevels {
  const order = levelOrder(taken.map((code) => levels[code]!));
  const codes = order ? order.map((at) => taken[at]!) : [...taken].sort((a, b) => rows[b]! - rows[a]! || a - b);
  return { codes: codes.length === 2 ? codes.reverse() : codes, ordered: order !== null };
}

/** Probabilities of K levels in n rows (n × K), each row's under one random posterior draw of each question. */
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

/** Rows for which designs are applied at once. */
const BLOCK_ROWS = 5_000;

/** Probabilities of K levels in n rows (n × K): means over the posterior draws. */
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

/** `shares`: by question, of each row, the probability of yes. */
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
