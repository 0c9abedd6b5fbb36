/** Plans training from counts, never from the clock. */
import type { TensorEngine } from '../../../numerics/tensor/graph.ts';
import type { Network } from './network/network.ts';
import { forwardOperations, stepOperations, type TrainingPlan } from './network/train.ts';
import { packWindows, type Sequence, type StepShape } from './network/trainingProgram.ts';
import { compactArchitecture, isLittleText, type Start } from './startNetwork.ts';

const STEP_TOKENS = 512;
const SHORTEST_WINDOW = 64;
const LONGEST_WINDOW = 512;
const WINDOW_GRAIN = 32;
const WHOLE_SHARE = 0.98;
/** Wider windows to try, since sequences of just over half a window waste the rest. */
const WIDER_WINDOWS = 3;
const MAX_TRIED = 5000;

/** Limits on total operations. */
const BASE_OPERATIONS = 1.25e14;
const SCRATCH_OPERATIONS = 4e13;
const GPU_FACTOR = 12;
/**
 * Operations relative to a model from scratch: a small base needs fewer passes over more weights; with little text it
 * takes more, shorter steps.
 */
const COMPACT_TO_SCRATCH = { little: 1.6, much: 1.3 };
const SHORTER_STEPS = 0.5;
/** Operations per second of two cores, for estimates only. */
const CPU_SPEED = 1.2e11;

/** Rates of wider networks shrink with width (Yang et al., 2022). */
const RATED_WIDTH = 576;
type Pace = Pick<TrainingPlan, 'peakRate' | 'weightDecay' | 'fallingPasses' | 'patience'>;
/** Without weight decay, a model from scratch would memorise small columns. */
const PACES: Readonly<Record<Start['kind'], Pace>> = {
  scratch: { peakRate: 2e-3, weightDecay: 1, fallingPasses: 8, patience: 3 },
  compact: { peakRate: 1e-3, weightDecay: 3, fallingPasses: 4, patience: 1 },
  adapted: { peakRate: 2e-3, weightDecay: 0.01, fallingPasses: 8, patience: 3 },
};

export interface Quote {
  plan: TrainingPlan;
  tokensAnEpoch: number;
  tokens: number;
  /** Name of the engine, and estimated time. */
  engine: string;
  seconds: number;
  bytes: number;
}

const isWhole = ({ frozen }: Network): boolean => Object.keys(frozen).length === 0;

function scratchOperations(network: Network, tokens: number): number {
  const scratch = compactArchitecture(tokens);
  return stepOperations({ ...network, architecture: scratch }, { windows: 1, length: 1 });
}

export function planTraining(
  engine: TensorEngine,
  network: Network,
  sequences: readonly Sequence[],
  epochs: number,
  kind: Start['kind'],
): Quote {
  const lengths = sequences.map(({ tokens }) => tokens.length - 1).sort((a, b) => a - b);
  const tokens = lengths.reduce((a, b) => a + b, 0);
  const usual = lengths[Math.floor(WHOLE_SHARE * (lengths.length - 1))] ?? 1;
  const shape = stepShape(network, sequences, usual);
  const operations = stepOperations(network, shape);
  const perToken = operations / (shape.windows * shape.length);
  const faster = engine.isGpu ? GPU_FACTOR : 1;
  const most = faster * (isWhole(network) ? SCRATCH_OPERATIONS : BASE_OPERATIONS);
  const amount = isLittleText(tokens) ? 'little' : 'much';
  const asked = kind === 'compact' ? COMPACT_TO_SCRATCH[amount] * scratchOperations(network, tokens) : perToken;
  const share = Math.min(1, asked / perToken, most / (perToken * tokens * epochs));
  const shorter = kind === 'compact' && amount === 'little' ? SHORTER_STEPS : 1;
  const plan = {
    epochs,
    sequencesAnEpoch: Math.max(1, Math.ceil(share * sequences.length)),
    shape,
    ...PACES[kind],
    peakRate: shorter * PACES[kind].peakRate * Math.min(1, RATED_WIDTH / network.architecture.width),
    stepOperations: operations,
  };
  const tokensAnEpoch = Math.round(share * tokens);
  const seconds = (perToken * tokensAnEpoch * epochs) / (faster * CPU_SPEED);
  return { plan, tokensAnEpoch, tokens, engine: engine.name, seconds, bytes: memoryOf(network, shape) };
}

function stepShape(network: Network, sequences: readonly Sequence[], usual: number): StepShape {
  const least = Math.min(LONGEST_WINDOW, Math.max(SHORTEST_WINDOW, WINDOW_GRAIN * Math.ceil(usual / WINDOW_GRAIN)));
  const { layers, heads, headWidth } = network.architecture;
  const aPosition = forwardOperations(network);
  const stride = Math.ceil(sequences.length / MAX_TRIED);
  const tried = sequences.filter((_, k) => k % stride === 0);
  const order = tried.map((_, k) => k);
  let best = { length: least, operations: Number.POSITIVE_INFINITY };
  for (let k = 0; k <= WIDER_WINDOWS && least + k * WINDOW_GRAIN <= LONGEST_WINDOW; k++) {
    const length = least + k * WINDOW_GRAIN;
    const attention = 4 * layers * heads * headWidth * length;
    const operations = packWindows(tried, order, length).count * length * (aPosition + attention);
    if (operations < best.operations) best = { length, operations };
  }
  return { windows: Math.max(1, Math.round(STEP_TOKENS / best.length)), length: best.length };
}

/** Weights, Adam's state, gradients and activations. */
function memoryOf(network: Network, { windows, length }: TrainingPlan['shape']): number {
  const { architecture, vector, frozen, pieces } = network;
  const { width, hidden, heads, layers } = architecture;
  const held = Object.values(frozen).reduce((sum, { byteLength }) => sum + byteLength, 0);
  const aToken = layers * (12 * width + 8 * hidden + 3 * heads * length) + 4 * pieces;
  return held + 4 * (6 * vector.length + windows * length * aToken);
}
