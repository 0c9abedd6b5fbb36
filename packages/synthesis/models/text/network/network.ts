/** A Llama-type network. Condition embeddings follow those of pieces; they are read, never written. */

import type { RandomStream } from '../../../../numerics/random/stream.ts';
import { constant, type Feeds, type Graph, input, type Tensor } from '../../../../numerics/tensor/graph.ts';
import { add, multiply, silu } from '../../../../numerics/tensor/operators/elementwise.ts';
import { matMul } from '../../../../numerics/tensor/operators/matrix.ts';
import { rmsNorm } from '../../../../numerics/tensor/operators/network.ts';
import { reshape } from '../../../../numerics/tensor/operators/shapes.ts';
import {
  type Architecture,
  GAINS,
  type GainName,
  type LayerWeights,
  MATRICES,
  type MatrixName,
  matrixShape,
  type Weights,
} from '../base/textBase.ts';

export interface PlainWeights extends Weights {
  /** [pieces, D]. */
  pieces: Float32Array;
  /** [conditions, D]. */
  conditions: Float32Array;
  /** What conditions add to the normed stream at all later positions, [conditions, D]. */
  shortcuts: Float32Array;
}

export interface Network {
  architecture: Architecture;
  pieces: number;
  conditions: number;
  vector: ParameterVector;
  frozen: Feeds;
  source(graph: Graph, trained: ParameterTensors): TrainedSource;
  /** Returns the trained weights. */
  plain(parameters: Float32Array): PlainWeights;
}

export interface TrainedSource extends WeightSource {
  /** Pieces, then conditions, each of width D. */
  table(): Tensor;
  pieceTable(): Tensor;
  shortcuts(): Tensor;
}

export interface FrozenSource extends WeightSource {
  /** [N, D] to [N, pieces]. */
  logits(x: Tensor): Tensor;
}

export const weightName = (layer: number, name: MatrixName | GainName): string => `layer ${layer} ${name}`;
export const FINAL = 'final norm';
export const PIECES = 'pieces';
export const CONDITIONS = 'conditions';
export const SHORTCUTS = 'shortcuts';

/** Computes matrices at each access. */
export function mapMatrices(gains: Pick<LayerWeights, GainName>, of: (name: MatrixName) => Float32Array): LayerWeights {
  const { attentionNorm, hiddenNorm } = gains;
  return {
    attentionNorm,
    hiddenNorm,
    get query() {
      return of('query');
    },
    get key() {
      return of('key');
    },
    get value() {
      return of('value');
    },
    get output() {
      return of('output');
    },
    get gate() {
      return of('gate');
    },
    get up() {
      return of('up');
    },
    get down() {
      return of('down');
    },
  };
}

export function frozenInputs(graph: Graph, architecture: Architecture, pieces: number): (name: string) => Tensor {
  const shapes = weightShapes(architecture, pieces);
  const known = new Map<string, Tensor>();
  return (name) => {
    const tensor = known.get(name) ?? input(graph, name, shapes.get(name)!);
    known.set(name, tensor);
    return tensor;
  };
}

function weightShapes(architecture: Architecture, pieces: number): ReadonlyMap<string, readonly number[]> {
  const { width, layers } = architecture;
  const shapes = new Map<string, readonly number[]>([
    [PIECES, [pieces, width]],
    [FINAL, [width]],
  ]);
  for (let layer = 0; layer < layers; layer++) {
    for (const name of MATRICES) shapes.set(weightName(layer, name), matrixShape(name, architecture));
    for (const name of GAINS) shapes.set(weightName(layer, name), [width]);
  }
  return shapes;
}

export function plainFeeds({ layers, finalNorm, pieces }: PlainWeights): Feeds {
  const feeds: Record<string, Float32Array> = { [PIECES]: pieces, [FINAL]: finalNorm };
  layers.forEach((own, layer) => {
    for (const name of [...MATRICES, ...GAINS]) feeds[weightName(layer, name)] = own[name];
  });
  return feeds;
}

export function plainSource(graph: Graph, architecture: Architecture, pieces: number): FrozenSource {
  const held = frozenInputs(graph, architecture, pieces);
  return {
    linear: (x, layer, name) => matMul(x, held(weightName(layer, name)), { transposeB: true }),
    gain: (layer, name) => held(weightName(layer, name)),
    finalGain: () => held(FINAL),
    logits: (x) => matMul(x, held(PIECES), { transposeB: true }),
  };
}

// N = tokens, D = width, K = key heads, G = queries per key head, H = K G, E = head width.

export interface WeightSource {
  /** x Wᵀ: [N, inputs] to [N, outputs]. */
  linear(x: Tensor, layer: number, name: MatrixName): Tensor;
  gain(layer: number, name: GainName): Tensor;
  finalGain(): Tensor;
}

/** `attend` maps the normed stream to [N, H E]. */
export function layer(
  x: Tensor,
  at: number,
  weights: WeightSource,
  { epsilon }: Architecture,
  attend: (normed: Tensor) => Tensor,
): Tensor {
  const attended = weights.linear(attend(rmsNorm(x, weights.gain(at, 'attentionNorm'), epsilon)), at, 'output');
  const middle = add(x, attended);
  const normed = rmsNorm(middle, weights.gain(at, 'hiddenNorm'), epsilon);
  const gated = multiply(silu(weights.linear(normed, at, 'gate')), weights.linear(normed, at, 'up'));
  return add(middle, weights.linear(gated, at, 'down'));
}

/** Adds conditions to the normed stream before logits. */
export function lastNorm(x: Tensor, conditionSum: Tensor, gain: Tensor, { width, epsilon }: Architecture): Tensor {
  const ones = constant(x.graph, new Float32Array(width).fill(1), [width]);
  return multiply(add(rmsNorm(x, ones, epsilon), conditionSum), gain);
}

/** Rotary positions (Su et al., 2021), [positions, E]; entry k turns with k + E / 2. */
export function rotaryTables(
  positions: ArrayLike<number>,
  { headWidth, ropeBase }: Pick<Architecture, 'headWidth' | 'ropeBase'>,
): { cosines: Float32Array; sines: Float32Array } {
  const half = headWidth / 2;
  const cosines = new Float32Array(positions.length * headWidth);
  const sines = new Float32Array(positions.length * headWidth);
  for (let p = 0; p < positions.length; p++) {
    for (let k = 0; k < headWidth; k++) {
      const angle = positions[p]! * ropeBase ** (-(k % half) / half);
      cosines[p * headWidth + k] = Math.cos(angle);
      sines[p * headWidth + k] = Math.sin(angle);
    }
  }
  return { cosines, sines };
}

/** x cos + (x R) sin; R swaps halves of a head and negates the first. */
export function rotate(x: Tensor, cosines: Tensor, sines: Tensor, turn: Tensor): Tensor {
  const flat = reshape(x, [x.shape.slice(0, -1).reduce((a, b) => a * b, 1), x.shape.at(-1)!]);
  const turned = reshape(matMul(flat, turn), x.shape);
  return add(multiply(x, cosines), multiply(turned, sines));
}

export function turnMatrix(graph: Graph, headWidth: number): Tensor {
  const half = headWidth / 2;
  const entries = new Float32Array(headWidth * headWidth);
  for (let k = 0; k < half; k++) {
    entries[(k + half) * headWidth + k] = -1;
    entries[k * headWidth + k + half] = 1;
  }
  return constant(graph, entries, [headWidth, headWidth]);
}

export interface Parameter {
  name: string;
  shape: readonly number[];
  /** Standard deviation of normal values, or values. */
  start: number | Float32Array;
  /** False for gains and conditions. */
  isDecayed: boolean;
}

interface ParameterVector {
  /** Decayed ones first. */
  entries: readonly Parameter[];
  length: number;
  decayed: number;
}

const sizeOf = ({ shape }: Parameter): number => shape.reduce((a, b) => a * b, 1);

export function layOut(parameters: readonly Parameter[]): ParameterVector {
  const entries = [...parameters.filter((one) => one.isDecayed), ...parameters.filter((one) => !one.isDecayed)];
  const total = (of: readonly Parameter[]): number => of.reduce((sum, one) => sum + sizeOf(one), 0);
  return { entries, length: total(entries), decayed: total(entries.filter((one) => one.isDecayed)) };
}

export function startVector({ entries, length }: ParameterVector, random: RandomStream): Float32Array {
  const out = new Float32Array(length);
  let at = 0;
  for (const parameter of entries) {
    const { start } = parameter;
    const size = sizeOf(parameter);
    if (start instanceof Float32Array) out.set(start, at);
    else if (start > 0) for (let k = at; k < at + size; k++) out[k] = start * random.normal();
    at += size;
  }
  return out;
}

export type ParameterTensors = ReadonlyMap<string, Tensor>;

export const parameterInputs = (graph: Graph, { entries }: ParameterVector): ParameterTensors =>
  new Map(entries.map(({ name, shape }) => [name, input(graph, name, shape)]));

/** Returns views of the vector. */
export function parameterViews(vector: Float32Array, { entries }: ParameterVector): ReadonlyMap<string, Float32Array> {
  let at = 0;
  return new Map(
    entries.map((parameter) => {
      at += sizeOf(parameter);
      return [parameter.name, vector.subarray(at - sizeOf(parameter), at)];
    }),
  );
}

export function parameterVector(
  matrices: (name: string) => Float32Array,
  { entries, length }: ParameterVector,
): Float32Array {
  const out = new Float32Array(length);
  let at = 0;
  for (const { name } of entries) {
    const own = matrices(name);
    out.set(own, at);
    at += own.length;
  }
  return out;
}
