/** Trains a network on sequences, epoch by epoch, and keeps the epoch that predicts held-out sequences best. */

import type { RandomStream } from '../../../../numerics/random/stream.ts';
import { ADAM_DEFAULTS, adamRates, stateNames } from '../../../tensor/adamW.ts';
import type { Executable, Feeds, TensorEngine } from '../../../tensor/engine.ts';
import { layerOperations } from '../base/architecture.ts';
import { type Checkpoint, type CheckpointStore, readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import type { Network } from './network.ts';
import { parameterVector, parameterViews, startVector } from './parameters.ts';
import { batchOf, createScorer, type Scorer } from './score.ts';
import { type StepShape, trainingProgram } from './trainingProgram.ts';
import { packWindows, type Sequence, type Windows } from './windows.ts';

export interface TrainingTask {
  engine: TensorEngine;
  network: Network;
  sequences: readonly Sequence[];
  heldOut: readonly Sequence[];
  plan: TrainingPlan;
  random: RandomStream;
  /** Told after each epoch: nats of its training tokens, and of all held-out ones together. */
  onEpoch(epoch: EpochFigures): Promise<void>;
  breathe(): Promise<void>;
  /** Where training is kept after each epoch, and found again. */
  checkpoints?: CheckpointStore;
}

export interface TrainingPlan {
  epochs: number;
  /** Sequences of one epoch: all, or a part drawn anew each time. */
  sequencesAnEpoch: number;
  shape: StepShape;
  peakRate: number;
  /** Of weights that decay, a step: this times the step's rate. */
  weightDecay: number;
  /** Operations of a step, from which the steps of one call follow. */
  stepOperations: number;
}

export interface EpochFigures {
  epoch: number;
  /** Mean over training tokens, in nats. */
  trainingLoss: number;
  /** Sum over held-out tokens, in nats; NaN where nothing is held out. */
  heldOutLoss: number;
}

export interface Trained {
  parameters: Float32Array;
  bestEpoch: number;
  history: EpochFigures[];
  /** Log-likelihoods of held-out tokens at the best epoch, by sequence and token; NaN where none is predicted. */
  heldOutLikelihoods: readonly Float32Array[];
}

const WARM_UP = 0.08;
const LAST_RATE = 0.05;
/** Passes over all sequences in which the rate falls, at most: what is repeated more often is learnt by heart, and stopped early. */
const FALLING_PASSES = 8;
/** Epochs without a better one after which training stops. */
const PATIENCE = 3;
/** Operations of one call, by which a job can be stopped in between. */
const CALL_OPERATIONS = 4e11;
const MOST_STEPS_A_CALL = 100;

/** Operations of a training step: forward; backward through every matrix; and once more where it is trained. */
export function stepOperations(network: Network, { windows, length }: StepShape): number {
  const head = 2 * network.pieces * network.architecture.width;
  const forward = layerOperations(network.architecture) * network.architecture.layers + head;
  const isWhole = Object.keys(network.frozen).length === 0;
  return windows * length * forward * (isWhole ? 3 : 2.2);
}

export async function trainNetwork(task: TrainingTask): Promise<Trained> {
  const { engine, network, plan } = task;
  const training = await engine.compile(trainingProgram(network, plan.shape), network.frozen);
  const scorer = task.heldOut.length > 0 ? await createScorer({ ...task, shape: plan.shape }) : undefined;
  let now = (await resume(task)) ?? begin(task);
  while (now.history.length < plan.epochs) {
    if (now.history.length - now.best.epoch >= PATIENCE) break;
    now = await oneEpoch(task, now, training, scorer);
    await task.onEpoch(now.history.at(-1)!);
    await keep(task, now);
  }
  await training.release();
  await scorer?.release();
  const { best, history } = now;
  return { parameters: best.parameters, bestEpoch: best.epoch, history, heldOutLikelihoods: best.likelihoods };
}

/** What a checkpoint must be of to go on from here. */
const nameOf = ({ network, sequences, plan }: TrainingTask): string =>
  `${network.vector.length} weights, ${sequences.length} sequences, ${plan.epochs} epochs`;

function begin(task: TrainingTask): Checkpoint {
  const parameters = startVector(task.network.vector, task.random.child('start'));
  const zeros = new Float32Array(parameters.length);
  const best = { epoch: 0, loss: Number.POSITIVE_INFINITY, parameters, likelihoods: [] };
  return { of: nameOf(task), done: 0, history: [], state: [parameters, zeros, zeros], best };
}

async function resume(task: TrainingTask): Promise<Checkpoint | undefined> {
  const bytes = await task.checkpoints?.load();
  return bytes && readCheckpoint(bytes, nameOf(task));
}

/** A checkpoint that finds no room is no reason to stop: training would only begin again where the machine is taken away. */
async function keep({ checkpoints, plan }: TrainingTask, now: Checkpoint): Promise<void> {
  if (!checkpoints || now.history.length === plan.epochs) return;
  await checkpoints.save(writeCheckpoint(now)).catch(() => undefined);
}

async function oneEpoch(
  task: TrainingTask,
  before: Checkpoint,
  training: Executable,
  scorer: Scorer | undefined,
): Promise<Checkpoint> {
  const { plan } = task;
  const epoch = before.history.length + 1;
  const windows = packWindows(task.sequences, epochOrder(task, epoch), plan.shape.length);
  const steps = Math.ceil(windows.count / plan.shape.windows);
  const falling = Math.ceil((FALLING_PASSES * task.sequences.length) / plan.sequencesAnEpoch);
  const left = Math.max(1, Math.min(plan.epochs, falling) - epoch + 1);
  const schedule = { done: before.done, total: before.done + steps * left };
  const run = await runEpoch(task, training, windows, stateFeeds(task.network, before.state), schedule);
  const state = stateVectors(task.network, run.state);
  const parameters = state[0]!;
  const likelihoods = scorer ? await scorer.score(parameters) : [];
  const heldOutLoss = scorer ? -sumKnown(likelihoods) : Number.NaN;
  const isBest = !scorer || heldOutLoss < before.best.loss;
  return {
    of: before.of,
    done: schedule.done,
    history: [...before.history, { epoch, trainingLoss: run.loss, heldOutLoss }],
    state,
    best: isBest ? { epoch, loss: heldOutLoss, parameters, likelihoods } : before.best,
  };
}

/** The trained vector and its two averages as a program takes them, matrix by matrix. */
function stateFeeds({ vector }: Network, state: readonly Float32Array[]): Feeds {
  return Object.fromEntries(
    state.flatMap((own, k) => [...parameterViews(own, vector)].map(([name, view]) => [stateNames(name)[k]!, view])),
  );
}

function stateVectors({ vector }: Network, state: Readonly<Record<string, Float32Array>>): Float32Array[] {
  return [0, 1, 2].map((k) => parameterVector((name) => state[stateNames(name)[k]!]!, vector));
}

/** The epoch's sequences in random order. */
function epochOrder({ sequences, plan, random }: TrainingTask, epoch: number): number[] {
  const stream = random.child(`epoch ${epoch}`);
  const order = sequences.map((_, k) => k);
  for (let k = order.length - 1; k > 0; k--) {
    const other = stream.integer(k + 1);
    [order[k], order[other]] = [order[other]!, order[k]!];
  }
  return order.slice(0, plan.sequencesAnEpoch);
}

async function runEpoch(
  { network, plan, breathe }: TrainingTask,
  training: Executable,
  windows: Windows,
  from: Feeds,
  schedule: { done: number; total: number },
): Promise<{ state: Record<string, Float32Array>; loss: number }> {
  const places = plan.shape.windows * windows.length;
  const steps = Math.ceil(windows.count / plan.shape.windows);
  const aCall = Math.min(MOST_STEPS_A_CALL, Math.max(1, Math.floor(CALL_OPERATIONS / plan.stepOperations)));
  let state: Record<string, Float32Array> = {};
  let feeds = from;
  let [loss, tokens] = [0, 0];
  for (let step = 0; step < steps; step += aCall) {
    const count = Math.min(aCall, steps - step);
    const rates = Float32Array.from({ length: count }, (_, k) =>
      rateAt(schedule.done + k, schedule.total, plan.peakRate),
    );
    const batch = batchOf(windows, step * places, count, places, network.pieces);
    const told = adamRates({ ...ADAM_DEFAULTS, weightDecay: plan.weightDecay }, rates, schedule.done + 1);
    const result = await training.run({ ...feeds, ...batch.feeds, ...told }, count);
    result.reports.loss!.forEach((mean, k) => {
      loss += mean * batch.totals[k]!;
      tokens += batch.totals[k]!;
    });
    state = result.state;
    feeds = state;
    schedule.done += count;
    await breathe();
  }
  return { state, loss: loss / Math.max(1, tokens) };
}

/** Rises over the first steps, then falls as a cosine. */
function rateAt(step: number, total: number, peak: number): number {
  const rise = Math.max(1, Math.round(WARM_UP * total));
  if (step < rise) return (peak * (step + 1)) / rise;
  const way = (step - rise) / Math.max(1, total - rise);
  return peak * (LAST_RATE + ((1 - LAST_RATE) * (1 + Math.cos(Math.PI * Math.min(1, way)))) / 2);
}

const sumKnown = (likelihoods: readonly Float32Array[]): number =>
  likelihoods.reduce((sum, own) => sum + own.reduce((part, x) => part + (Number.isNaN(x) ? 0 : x), 0), 0);
