/**
 * Private-PGM (McKenna, Sheldon and Miklau 2019): maximum entropy given noisy marginals, by accelerated mirror descent.
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
import { type Nested, nestScopes, sumInto } from './nestScopes.ts';
import { createSecants } from './secants.ts';

/** Noisy cell counts; the last variable is fastest. */
export interface MeasuredMarginal {
  scope: readonly number[];
  counts: ArrayLike<number>;
  /** Noise variance by cell. */
  variances: ArrayLike<number>;
  /** Penalty on squared potentials, in rows, against fitting noise. */
  pull?: number;
}

export interface FitOptions {
  total: number;
  steps: number;
  potentials?: readonly Potential[];
}

export interface FittedMarginals {
  model: MarkovModel;
  potentials: Potential[];
  /** Half the weighted residual sum of squares. */
  loss: number;
}

const STEP_UP = 1.2;
const STEP_DOWN = 0.5;
/** Maximum log change per step, and its lower bound. */
const MAX_CHANGE = 2;
const MIN_CHANGE = 0.01;
/** Relative gain of a stalled step. */
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
  const variances = Float64Array.from(measured.flatMap((own) => Array.from(own.variances)));
  const nested = nestScopes(
    sizes,
    measured.map(({ scope }) => scope),
  );
  const slopeOf = () => slopeAt(model, measured, nested, { total, potentials });
  let now = slopeOf();
  const secants = createSecants(variances);
  let step = variances.reduce((a, b) => Math.min(a, b), Infinity) / total ** 2;
  let [most, stalled] = [MAX_CHANGE, 0];
  for (let at = 0; at < steps && stalled < PATIENCE; at++) {
    await yieldToEventLoop();
    const back = snapshot(model, potentials);
    const isPlain = secants.isEmpty();
    const change = capped(secants.next(now.gradient, step), most);
    multiplyAll(model, measured, nested, change);
    recalibrate(model);
    addAll(potentials, change);
    const next = slopeOf();
    if (next.loss <= now.loss) {
      const before = now.gradient;
      secants.push(
        change,
        next.gradient.map((slope, cell) => slope - before[cell]!),
      );
      stalled = now.loss - next.loss > STALLED * now.loss ? 0 : stalled + 1;
      now = next;
      step *= STEP_UP;
      most = Math.min(MAX_CHANGE, STEP_UP * most);
    } else {
      back();
      secants.clear();
      // A failed accelerated step does not inform plain steps.
      if (isPlain) step *= STEP_DOWN;
      else most = Math.max(MIN_CHANGE, STEP_DOWN * most);
      if (isPlain) stalled++;
    }
  }
  return { model, potentials, loss: now.loss };
}

interface Slope {
  loss: number;
  gradient: Float64Array;
}

function slopeAt(
  model: MarkovModel,
  measured: readonly MeasuredMarginal[],
  { order, hosts }: Nested,
  { total, potentials }: { total: number; potentials: readonly Potential[] },
): Slope {
  const found: Float64Array[] = [];
  for (const at of order) {
    const { scope, counts } = measured[at]!;
    const host = hosts[at];
    found[at] = host ? sumInto(found[host.at]!, host.map, counts.length) : marginalOf(model, scope);
  }
  const gradient = new Float64Array(found.reduce((cells, own) => cells + own.length, 0));
  let [loss, next] = [0, 0];
  for (const [at, { counts, variances, pull = 0 }] of measured.entries()) {
    const { theta } = potentials[at]!;
    for (let cell = 0; cell < counts.length; cell++) {
      const gap = total * found[at]![cell]! - counts[cell]! + pull * theta[cell]! * variances[cell]!;
      loss += (0.5 * gap * gap) / variances[cell]!;
      gradient[next++] = (total * gap) / variances[cell]!;
    }
  }
  return { loss, gradient };
}

function capped(change: Float64Array, most: number): Float64Array {
  let largest = 0;
  for (const value of change) largest = Math.max(largest, Math.abs(value));
  return largest > most ? change.map((value) => (value * most) / largest) : change;
}

function multiplyAll(
  model: MarkovModel,
  measured: readonly MeasuredMarginal[],
  { order, hosts }: Nested,
  change: Float64Array,
): void {
  let next = 0;
  const logs = measured.map(({ counts }) => {
    const from = next;
    next += counts.length;
    return change.slice(from, next);
  });
  for (const at of order.toReversed()) {
    const [own, host] = [logs[at]!, hosts[at]];
    if (host) {
      const whole = logs[host.at]!;
      for (let cell = 0; cell < whole.length; cell++) whole[cell]! += own[host.map[cell]!]!;
    } else multiply(model, measured[at]!.scope, own.map(Math.exp));
  }
}

function addAll(potentials: readonly Potential[], change: Float64Array): void {
  let at = 0;
  for (const { theta } of potentials) for (let cell = 0; cell < theta.length; cell++) theta[cell]! += change[at++]!;
}
