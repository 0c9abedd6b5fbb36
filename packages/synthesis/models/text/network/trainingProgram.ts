/** Training and scoring of windows. B = windows per step, T = positions of one, N = B T. */
import { ADAM_DEFAULTS, adamW, RATES } from '../../../../numerics/tensor/adamW.ts';
import { differentiate } from '../../../../numerics/tensor/differentiate.ts';
import {
  constant,
  createGraph,
  type Graph,
  input,
  type Program,
  type Tensor,
} from '../../../../numerics/tensor/graph.ts';
import { add, equal, multiply, negate, scale } from '../../../../numerics/tensor/operators/elementwise.ts';
import { matMul } from '../../../../numerics/tensor/operators/matrix.ts';
import { gatherRows, logSoftmax, pick, softmax } from '../../../../numerics/tensor/operators/network.ts';
import { concat, reshape, sumAll, transpose } from '../../../../numerics/tensor/operators/shapes.ts';
import {
  lastNorm,
  layer,
  type Network,
  type ParameterTensors,
  parameterInputs,
  rotaryTables,
  rotate,
  turnMatrix,
  type WeightSource,
} from './network.ts';

const BATCH_INPUTS = ['tokens', 'conditionOf', 'next', 'weights', 'segments'] as const;

const FAR = 1e9;

export interface StepShape {
  windows: number;
  length: number;
}

/** One AdamW step per batch, whose weights sum to one. Reports `loss` in nats per token. */
export function trainingProgram(network: Network, shape: StepShape): Program {
  const graph = createGraph();
  const parameters = parameterInputs(graph, network.vector);
  const { likelihoods, weights } = forward(graph, network, parameters, shape);
  const loss = negate(sumAll(multiply(likelihoods, weights)));
  const gradients = differentiate(loss, [...parameters.values()]);
  const trained = network.vector.entries.map(({ name, isDecayed }, k) => ({
    name,
    isDecayed,
    tensor: parameters.get(name)!,
    gradient: gradients[k]!,
  }));
  return {
    graph,
    frozen: Object.keys(network.frozen),
    perStep: [...BATCH_INPUTS, ...RATES],
    state: adamW(trained, ADAM_DEFAULTS),
    reports: { loss },
  };
}

/** Reports `likelihoods` of the next tokens, [N, 1]. */
export function scoringProgram(network: Network, shape: StepShape): Program {
  const graph = createGraph();
  const parameters = parameterInputs(graph, network.vector);
  const { likelihoods } = forward(graph, network, parameters, shape);
  const perStep = [...parameters.keys(), 'tokens', 'conditionOf', 'next', 'segments'];
  return { graph, frozen: Object.keys(network.frozen), perStep, state: [], reports: { likelihoods } };
}

function forward(
  graph: Graph,
  network: Network,
  parameters: ParameterTensors,
  { windows: B, length: T }: StepShape,
): { likelihoods: Tensor; weights: Tensor } {
  const { architecture } = network;
  const N = B * T;
  const tokens = input(graph, 'tokens', [N], 'int');
  const next = input(graph, 'next', [N], 'int');
  const weights = input(graph, 'weights', [N, 1]);
  const segments = input(graph, 'segments', [B, T], 'int');
  const source = network.source(graph, parameters);
  const seen = placesSeen(graph, segments);
  const attention = attentionOf(graph, network, source, seen);
  let x = gatherRows(source.table(), tokens);
  for (let at = 0; at < architecture.layers; at++) {
    x = layer(x, at, source, architecture, (normed) => attention(normed, at));
  }
  const conditionSum = conditionSums(graph, source.shortcuts(), seen);
  const last = lastNorm(x, conditionSum, source.finalGain(), architecture);
  const logits = matMul(last, source.pieceTable(), { transposeB: true });
  return { likelihoods: pick(logSoftmax(logits), next), weights };
}

/** Causal attention within segments: [N, D] to [N, H E]. */
function attentionOf(
  graph: Graph,
  { architecture }: Network,
  source: WeightSource,
  seen: Tensor,
): (normed: Tensor, at: number) => Tensor {
  const { heads, keyHeads, headWidth } = architecture;
  const [B, , T] = seen.shape as [number, number, number];
  // Makes masked weights vanish in single precision.
  const mask = add(scale(seen, FAR), constant(graph, Float32Array.of(-FAR), [1, 1, 1, 1]));
  const turn = turnMatrix(graph, headWidth);
  const { cosines, sines } = rotaryTables(
    Array.from({ length: T }, (_, k) => k),
    architecture,
  );
  const table = (entries: Float32Array): Tensor => constant(graph, entries, [1, 1, T, headWidth]);
  const [cos, sin] = [table(cosines), table(sines)];
  // Includes the 1 / sqrt(E) of queries.
  const [queryCos, querySin] = [cosines, sines].map((entries) => table(entries.map((x) => x * headWidth ** -0.5)));
  const byHead = (x: Tensor, count: number): Tensor => transpose(reshape(x, [B, T, count, headWidth]), [0, 2, 1, 3]);
  const grouped = [B, keyHeads, (heads / keyHeads) * T];
  return (normed, at) => {
    const queries = rotate(byHead(source.linear(normed, at, 'query'), heads), queryCos!, querySin!, turn);
    const keys = rotate(byHead(source.linear(normed, at, 'key'), keyHeads), cos, sin, turn);
    const values = byHead(source.linear(normed, at, 'value'), keyHeads);
    const scores = matMul(reshape(queries, [...grouped, headWidth]), keys, { transposeB: true });
    const shares = softmax(add(reshape(scores, [B, heads, T, T]), mask));
    const mixed = matMul(reshape(shares, [...grouped, T]), values);
    return reshape(transpose(reshape(mixed, [B, heads, T, headWidth]), [0, 2, 1, 3]), [B * T, heads * headWidth]);
  };
}

/** 1 if visible, else 0: [B, 1, T, T]. */
function placesSeen(graph: Graph, segments: Tensor): Tensor {
  const [B, T] = segments.shape as [number, number];
  const same = equal(reshape(segments, [B, 1, T, 1]), reshape(segments, [B, 1, 1, T]));
  const past = new Float32Array(T * T);
  for (let row = 0; row < T; row++) past.fill(1, row * T, row * T + row + 1);
  return multiply(same, constant(graph, past, [1, 1, T, T]));
}

function conditionSums(graph: Graph, shortcuts: Tensor, seen: Tensor): Tensor {
  const [B, , T] = seen.shape as [number, number, number];
  const width = shortcuts.shape[1]!;
  const table = concat([constant(graph, new Float32Array(width), [1, width]), shortcuts], 0);
  const own = gatherRows(table, input(graph, 'conditionOf', [B * T], 'int'));
  return reshape(matMul(reshape(seen, [B, T, T]), reshape(own, [B, T, width])), [B * T, width]);
}

export interface Sequence {
  tokens: Int32Array;
  isWritten: Uint8Array;
}

export interface Windows {
  count: number;
  length: number;
  /** Tokens and their successors (0 if not predicted). */
  tokens: Int32Array;
  next: Int32Array;
  /** 1 if the successor is predicted. */
  weights: Float32Array;
  /** Sequence within the window, from 1; 0 is padding. */
  segments: Int32Array;
  /** Index of the sequence, and position of the predicted token. */
  sequence: Int32Array;
  offset: Int32Array;
}

const OPEN = 40;

interface Piece {
  sequence: number;
  from: number;
  positions: number;
}

/** Packs into the fullest open window; longer sequences continue in others. */
export function packWindows(sequences: readonly Sequence[], order: readonly number[], length: number): Windows {
  const bins: Piece[][] = [];
  const room: number[] = [];
  for (const sequence of order) {
    const positions = sequences[sequence]!.tokens.length - 1;
    for (let from = 0; from < positions; from += length) {
      const piece = { sequence, from, positions: Math.min(length, positions - from) };
      const bin = roomiest(room, piece.positions);
      if (bin < 0) {
        bins.push([piece]);
        room.push(length - piece.positions);
      } else {
        bins[bin]!.push(piece);
        room[bin]! -= piece.positions;
      }
    }
  }
  return fill(sequences, bins, length);
}

function roomiest(room: readonly number[], positions: number): number {
  let best = -1;
  for (let bin = Math.max(0, room.length - OPEN); bin < room.length; bin++) {
    if (room[bin]! >= positions && (best < 0 || room[bin]! < room[best]!)) best = bin;
  }
  return best;
}

function fill(sequences: readonly Sequence[], bins: readonly Piece[][], length: number): Windows {
  const size = bins.length * length;
  const out: Windows = {
    count: bins.length,
    length,
    tokens: new Int32Array(size),
    next: new Int32Array(size),
    weights: new Float32Array(size),
    segments: new Int32Array(size),
    sequence: new Int32Array(size).fill(-1),
    offset: new Int32Array(size),
  };
  bins.forEach((pieces, bin) => {
    let at = bin * length;
    pieces.forEach(({ sequence, from, positions }, segment) => {
      const { tokens, isWritten } = sequences[sequence]!;
      for (let k = from; k < from + positions; k++, at++) {
        out.tokens[at] = tokens[k]!;
        out.next[at] = isWritten[k + 1] ? tokens[k + 1]! : 0;
        out.weights[at] = isWritten[k + 1]!;
        out.segments[at] = segment + 1;
        out.sequence[at] = sequence;
        out.offset[at] = k + 1;
      }
    });
  });
  return out;
}
