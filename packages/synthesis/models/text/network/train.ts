/** Trains by epochs, and keeps the best on held-out sequences. */
import { shuffle } from '../../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../../numerics/random/stream.ts';
import { ADAM_DEFAULTS, adamRates, stateNames } from '../../../../numerics/tensor/adamW.ts';
import type { Executable, Feeds, TensorEngine } from '../../../../numerics/tensor/graph.ts';
import { layerOperations } from '../base/textBase.ts';
import {
  type Checkpoint,
  type CheckpointStore,
  type EpochFigures,
  readCheckpoint,
  writeCheckpoint,
} from './checkpoint.ts';
import type { Network } from './network.ts';
import { parameterVector, parameterViews, startVector } from './network.ts';
import {
  packWindows,
  type Sequence,
  type StepShape,
  scoringProgram,
  trainingProgram,
  type Windows,
} from './trainingProgram.ts';

export interface TrainingTask {
  engine: TensorEngine;
  network: Network;
  sequences: readonly Sequence[];
  heldOut: readonly Sequence[];
  plan: TrainingPlan;
  random: RandomStream;
  onEpoch(epoch: EpochFigures): Promise<void>;
  yieldToEventLoop(): Promise<void>;
  checkpoints?: CheckpointStore;
}

export interface TrainingPlan {
  epochs: number;
  /** All, or a random part. */
  sequencesAnEpoch: number;
  shape: StepShape;
  peakRate: number;
  /** As a multiple of the learning rate. */
  weightDecay: number;
  /** Passes over which the rate falls; more would memorise texts, and stop early. */
  fallingPasses: number;
  /** Epochs without improvement before stopping. */
  patience: number;
  stepOperations: number;
}

export interface Trained {
  parameters: Float32Array;
  bestEpoch: number;
  history: EpochFigures[];
  /** By sequence and token; NaN if not predicted. */
  heldOutLikelihoods: readonly Float32Array[];
}

const WARM_UP = 0.08;
const LAST_RATE = 0.05;
/** Operations between checks for cancellation. */
const CALL_OPERATIONS = 4e11;
const MAX_STEPS_A_CALL = 100;

export const forwardOperations = ({ architecture, pieces }: Pick<Network, 'architecture' | 'pieces'>): number =>
  layerOperations(architecture) * architecture.layers + 2 * pieces * architecture.width;

/** Counts forward and backward passes, and gradients of trained matrices. */
export function stepOperations(network: Network, { windows, length }: StepShape): number {
  const forward = forwardOperations(network);
  const isWhole = Object.keys(network.frozen).length === 0;
  return windows * length * forward * (isWhole ? 3 : 2.2);
}

export async function trainNetwork(task: TrainingTask): Promise<Trained> {
  const { engine, network, plan } = task;
  const training = await engine.compile(trainingProgram(network, plan.shape), network.frozen);
  const scorer = task.heldOut.length > 0 ? await createScorer({ ...task, shape: plan.shape }) : undefined;
  let now = (await resume(task)) ?? begin(task);
  while (now.history.length < plan.epochs) {
    if (now.history.length - now.best.epoch >= plan.patience) break;
    now = await oneEpoch(task, now, training, scorer);
    await task.onEpoch(now.history.at(-1)!);
    await keep(task, now);
  }
  await training.release();
  await scorer?.release();
  const { best, history } = now;
  return { parameters: best.parameters, bestEpoch: best.epoch, history, heldOutLikelihoods: best.likelihoods };
}

/** Identifies matching checkpoints. */
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

/** Training continues if a checkpoint cannot be saved. */
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
  const falling = Math.ceil((plan.fallingPasses * task.sequences.length) / plan.sequencesAnEpoch);
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

function stateFeeds({ vector }: Network, state: readonly Float32Array[]): Feeds {
  return Object.fromEntries(
    state.flatMap((own, k) => [...parameterViews(own, vector)].map(([name, view]) => [stateNames(name)[k]!, view])),
  );
}

function stateVectors({ vector }: Network, state: Readonly<Record<string, Float32Array>>): Float32Array[] {
  return [0, 1, 2].map((k) => parameterVector((name) => state[stateNames(name)[k]!]!, vector));
}

function epochOrder({ sequences, plan, random }: TrainingTask, epoch: number): number[] {
  const stream = random.child(`epoch ${epoch}`);
  const order = sequences.map((_, k) => k);
  shuffle(order, stream);
  return order.slice(0, plan.sequencesAnEpoch);
}

async function runEpoch(
  { network, plan, yieldToEventLoop }: TrainingTask,
  training: Executable,
  windows: Windows,
  from: Feeds,
  schedule: { done: number; total: number },
): Promise<{ state: Record<string, Float32Array>; loss: number }> {
  const positions = plan.shape.windows * windows.length;
  const steps = Math.ceil(windows.count / plan.shape.windows);
  const aCall = Math.min(MAX_STEPS_A_CALL, Math.max(1, Math.floor(CALL_OPERATIONS / plan.stepOperations)));
  let state: Record<string, Float32Array> = {};
  let feeds = from;
  let [loss, tokens] = [0, 0];
  for (let step = 0; step < steps; step += aCall) {
    const count = Math.min(aCall, steps - step);
    const rates = Float32Array.from({ length: count }, (_, k) =>
      rateAt(schedule.done + k, schedule.total, plan.peakRate),
    );
    const batch = batchOf(windows, step * positions, count, positions, network.pieces);
    const adam = adamRates({ ...ADAM_DEFAULTS, weightDecay: plan.weightDecay }, rates, schedule.done + 1);
    const result = await training.run({ ...feeds, ...batch.feeds, ...adam }, count);
    result.reports.loss!.forEach((mean, k) => {
      loss += mean * batch.totals[k]!;
      tokens += batch.totals[k]!;
    });
    state = result.state;
    feeds = state;
    schedule.done += count;
    await yieldToEventLoop();
  }
  return { state, loss: loss / Math.max(1, tokens) };
}

/** Linear warm-up, then cosine decay. */
function rateAt(step: number, total: number, peak: number): number {
  const rise = Math.max(1, Math.round(WARM_UP * total));
  if (step < rise) return (peak * (step + 1)) / rise;
  const way = (step - rise) / Math.max(1, total - rise);
  return peak * (LAST_RATE + ((1 - LAST_RATE) * (1 + Math.cos(Math.PI * Math.min(1, way)))) / 2);
}

const sumKnown = (likelihoods: readonly Float32Array[]): number =>
  likelihoods.reduce((sum, own) => sum + own.reduce((part, x) => part + (Number.isNaN(x) ? 0 : x), 0), 0);

/** Pads after the last window. Weights of each step sum to one. Conditions count from 1; 0 is a piece. */
function batchOf(
  windows: Windows,
  from: number,
  steps: number,
  positions: number,
  pieces: number,
): { feeds: Record<string, Float32Array | Int32Array>; totals: number[] } {
  const to = from + steps * positions;
  const ints = (values: Int32Array): Int32Array => {
    const out = new Int32Array(steps * positions);
    out.set(values.subarray(from, to));
    return out;
  };
  const weights = new Float32Array(steps * positions);
  weights.set(windows.weights.subarray(from, to));
  const totals: number[] = [];
  for (let step = 0; step < steps; step++) {
    const own = weights.subarray(step * positions, (step + 1) * positions);
    const total = own.reduce((sum, weight) => sum + weight, 0);
    totals.push(total);
    for (let k = 0; k < own.length; k++) own[k]! /= Math.max(1, total);
  }
  const { next, segments } = windows;
  const tokens = ints(windows.tokens);
  const conditionOf = tokens.map((token) => Math.max(0, token - pieces + 1));
  return { feeds: { tokens, conditionOf, next: ints(next), segments: ints(segments), weights }, totals };
}

interface ScoringTask {
  engine: TensorEngine;
  network: Network;
  heldOut: readonly Sequence[];
  shape: StepShape;
  yieldToEventLoop?(): Promise<void>;
}

/** Returns log-likelihoods by sequence and token; NaN if not predicted. */
export async function scoreSequences(task: ScoringTask, parameters: Float32Array): Promise<Float32Array[]> {
  const scorer = await createScorer(task);
  const likelihoods = await scorer.score(parameters);
  await scorer.release();
  return likelihoods;
}

interface Scorer {
  score(parameters: Float32Array): Promise<Float32Array[]>;
  release(): Promise<void>;
}

async function createScorer({ engine, network, heldOut, shape, yieldToEventLoop }: ScoringTask): Promise<Scorer> {
  const executable = await engine.compile(scoringProgram(network, shape), network.frozen);
  const windows = packWindows(
    heldOut,
    heldOut.map((_, k) => k),
    shape.length,
  );
  const positions = shape.windows * shape.length;
  return {
    async score(parameters) {
      const matrices = Object.fromEntries(parameterViews(parameters, network.vector));
      const out = heldOut.map(({ tokens }) => new Float32Array(tokens.length).fill(Number.NaN));
      for (let from = 0; from < windows.tokens.length; from += positions) {
        const { weights: _, ...feeds } = batchOf(windows, from, 1, positions, network.pieces).feeds;
        const { reports } = await executable.run({ ...feeds, ...matrices }, 1);
        for (let k = 0; k < positions && from + k < windows.tokens.length; k++) {
          if (windows.weights[from + k]! > 0) {
            out[windows.sequence[from + k]!]![windows.offset[from + k]!] = reports.likelihoods![k]!;
          }
        }
        await yieldToEventLoop?.();
      }
      return out;
    },
    release: () => executable.release(),
  };
}
