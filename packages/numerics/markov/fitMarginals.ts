/**
 * Private-PGM (McKenna, Sheldon and Miklau, 2019): the distribution of largest entropy whose marginals are as near as can be
 * to measured ones, in squares weighted by their precision; by mirror descent on the potentials.
 */
import {
  createMarkovModel,
  type MarkovModel,
  marginalOf,
  multiply,
  type Potential,
  recalibrate,
  snapshot,
} from './markovModel.ts';

/** Noisy counts of the cells of a scope, the last variable fastest. */
export interface MeasuredMarginal {
  scope: readonly number[];
  counts: ArrayLike<number>;
  /** Of the noise of each cell. */
  variances: ArrayLike<number>;
}

export interface FitOptions {
  /** Rows, as far as they are known. */
  total: number;
  steps: number;
  /** Where to begin, by the index of the measured marginal; those without one begin at 0. */
  potentials?: readonly Potential[];
}

export interface FittedMarginals {
  model: MarkovModel;
  /** One of each measured marginal: they make the model again. */
  potentials: Potential[];
  /** Half the weighted sum of squares. */
  loss: number;
}

const STEP_UP = 1.3;
const STEP_DOWN = 0.5;
/** The most that a step changes the logarithm of a cell. */
const MAX_CHANGE = 2;
/** Below this share of the loss a step no longer counts, and after so many such steps the fit ends. */
const STALLED = 1e-5;
const PATIENCE = 8;

export async function fitMarginals(
  sizes: readonly number[],
  measured: readonly MeasuredMarginal[],
  { total, steps, potentials: begun = [] }: FitOptions,
  yieldToEventLoop: () => Promise<void> = async () => {},
): Promise<FittedMarginals> {
  const potentials = measured.map(({ scope, counts }, at): Potential => {
    const known = begun[at]?.theta;
    return { scope, theta: known ? known.slice() : new Float64Array(counts.length) };
  });
  const model = createMarkovModel(sizes, potentials);
  let now = gradientsOf(model, measured, total);
  const finest = measured.reduce((least, { variances }) => Math.min(least, ...Array.from(variances)), Infinity);
  let step = finest / total ** 2;
  let stalled = 0;
  for (let at = 0; at < steps && stalled < PATIENCE; at++) {
    await yieldToEventLoop();
    const back = snapshot(model);
    const own = Math.min(step, MAX_CHANGE / now.largest);
    const changes = now.gradients.map((gradient) => gradient.map((slope) => -own * slope));
    for (const [i, { scope }] of measured.entries()) multiply(model, scope, changes[i]!.map(Math.exp));
    recalibrate(model);
    const next = gradientsOf(model, measured, total);
    if (next.loss <= now.loss) {
      for (const [i, change] of changes.entries()) add(potentials[i]!.theta, change);
      stalled = now.loss - next.loss > STALLED * now.loss ? 0 : stalled + 1;
      now = next;
      step = own * STEP_UP;
    } else {
      back();
      step = own * STEP_DOWN;
      stalled++;
    }
  }
  return { model, potentials, loss: now.loss };
}

interface Gradients {
  loss: number;
  gradients: Float64Array[];
  largest: number;
}

/** Of the loss by the probabilities of each measured marginal's cells. */
function gradientsOf(model: MarkovModel, measured: readonly MeasuredMarginal[], total: number): Gradients {
  let [loss, largest] = [0, Number.MIN_VALUE];
  const gradients = measured.map(({ scope, counts, variances }) => {
    const gradient = marginalOf(model, scope);
    for (let cell = 0; cell < gradient.length; cell++) {
      const gap = total * gradient[cell]! - counts[cell]!;
      const precise = 1 / variances[cell]!;
      loss += 0.5 * gap * gap * precise;
      gradient[cell] = total * gap * precise;
      largest = Math.max(largest, Math.abs(gradient[cell]!));
    }
    return gradient;
  });
  return { loss, gradients, largest };
}

function add(to: Float64Array, change: Float64Array): void {
  for (let cell = 0; cell < to.length; cell++) to[cell]! += change[cell]!;
}
