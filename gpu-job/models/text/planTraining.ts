/** What is trained, and how long: decided from counts of rows and tokens, never from the clock. */

import { withCommas } from '../../../domain/table/wording.ts';
import type { TensorEngine } from '../../tensor/engine.ts';
import type { Architecture } from './base/architecture.ts';
import type { Network } from './network/network.ts';
import { stepOperations, type TrainingPlan } from './network/train.ts';
import type { Sequence } from './network/windows.ts';

/** Tokens of one step. */
const STEP_TOKENS = 512;
const SHORTEST_WINDOW = 64;
const LONGEST_WINDOW = 512;
const WINDOW_GRAIN = 32;
/** Share of sequences that go into one window whole. */
const WHOLE_SHARE = 0.98;

/** Operations that training may take in all: with a base, and from scratch; a graphics processor does that many times more. */
const BASE_OPERATIONS = 1.25e14;
const SCRATCH_OPERATIONS = 4e13;
const GPU_FACTOR = 30;
/** Operations a second, for the quote alone: two cores and a graphics processor of the usual kinds. */
const CPU_SPEED = 1.2e11;
const GPU_SPEED = 1e13;

/** Of networks up to this width; matrices of wider ones take steps that are smaller in proportion (Yang and others, 2022). */
const PEAK_RATE = 2e-3;
const RATED_WIDTH = 576;
/** Of all weights of a compact model, which would learn a small column by heart; adapters of a few weights need next to none. */
const SCRATCH_DECAY = 1;
const BASE_DECAY = 0.01;

/** A compact model: wider where there is more to learn. */
export function compactArchitecture(tokens: number): Architecture {
  const wide = tokens > 60_000;
  const width = wide ? 192 : 128;
  return {
    width,
    layers: 4,
    heads: width / 32,
    keyHeads: 2,
    headWidth: 32,
    hidden: wide ? 512 : 352,
    ropeBase: 10_000,
    epsilon: 1e-5,
  };
}

export interface Quote {
  plan: TrainingPlan;
  /** Tokens of one epoch, and of all sequences. */
  tokensAnEpoch: number;
  tokens: number;
  line: string;
}

const isWhole = ({ frozen }: Network): boolean => Object.keys(frozen).length === 0;

export function planTraining(
  engine: TensorEngine,
  network: Network,
  sequences: readonly Sequence[],
  epochs: number,
): Quote {
  const lengths = sequences.map(({ tokens }) => tokens.length - 1).sort((a, b) => a - b);
  const tokens = lengths.reduce((a, b) => a + b, 0);
  const usual = lengths[Math.floor(WHOLE_SHARE * (lengths.length - 1))] ?? 1;
  const length = Math.min(LONGEST_WINDOW, Math.max(SHORTEST_WINDOW, WINDOW_GRAIN * Math.ceil(usual / WINDOW_GRAIN)));
  const shape = { windows: Math.max(1, Math.round(STEP_TOKENS / length)), length };
  const operations = stepOperations(network, shape);
  const perToken = operations / (shape.windows * shape.length);
  const most = (isWhole(network) ? SCRATCH_OPERATIONS : BASE_OPERATIONS) * (engine.isGpu ? GPU_FACTOR : 1);
  const share = Math.min(1, most / (perToken * tokens * epochs));
  const plan = {
    epochs,
    sequencesAnEpoch: Math.max(1, Math.ceil(share * sequences.length)),
    shape,
    peakRate: PEAK_RATE * Math.min(1, RATED_WIDTH / network.architecture.width),
    weightDecay: isWhole(network) ? SCRATCH_DECAY : BASE_DECAY,
    stepOperations: operations,
  };
  const tokensAnEpoch = Math.round(share * tokens);
  const seconds = (perToken * tokensAnEpoch * epochs) / (engine.isGpu ? GPU_SPEED : CPU_SPEED);
  const line = `${epochs} epochs of ${withCommas(tokensAnEpoch)} of ${withCommas(tokens)} tokens on ${engine.name}: about ${withCommas(Math.ceil(seconds))} s, ${memoryInWords(network, shape)} of memory`;
  return { plan, tokensAnEpoch, tokens, line };
}

/** Weights, the trained vector with its averages and gradient, and what the way back needs of each layer. */
function memoryInWords(network: Network, { windows, length }: TrainingPlan['shape']): string {
  const { architecture, vector, frozen, pieces } = network;
  const { width, hidden, heads, layers } = architecture;
  const held = Object.values(frozen).reduce((sum, { byteLength }) => sum + byteLength, 0);
  const aToken = layers * (12 * width + 8 * hidden + 3 * heads * length) + 4 * pieces;
  const bytes = held + 4 * (6 * vector.length + windows * length * aToken);
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
