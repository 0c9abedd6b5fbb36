/** A pretrained language model from files. */
import type { BytePairs } from '../tokens/bytePairs.ts';

export interface TextBase {
  name: string;
  architecture: Architecture;
  tokenizer: BytePairs;
  /** Identifiers by byte-alphabet piece. */
  pieces: ReadonlyMap<string, number>;
  /** Ends a text. */
  end: number;
  /** [width]. */
  embedding(piece: number): Float32Array;
  /** Reads these layers on demand, since they are large. */
  weights(layers: readonly number[]): Weights;
}

/** By file name. */
export type BaseFiles = ReadonlyMap<string, Uint8Array>;

/** The message gives the problem, its place and the remedy. */
export class TextBaseError extends Error {
  override readonly name = 'TextBaseError';
}

// Llama architecture.

export interface Architecture {
  width: number;
  layers: number;
  heads: number;
  /** Divides `heads`. */
  keyHeads: number;
  headWidth: number;
  /** Feed-forward width. */
  hidden: number;
  ropeBase: number;
  epsilon: number;
}

/** [outputs, inputs]. */
export const MATRICES = ['query', 'key', 'value', 'output', 'gate', 'up', 'down'] as const;
export type MatrixName = (typeof MATRICES)[number];
/** [width]. */
export const GAINS = ['attentionNorm', 'hiddenNorm'] as const;
export type GainName = (typeof GAINS)[number];

export function matrixShape(name: MatrixName, own: Architecture): readonly [number, number] {
  const { width, heads, keyHeads, headWidth, hidden } = own;
  const shapes: Record<MatrixName, readonly [number, number]> = {
    query: [heads * headWidth, width],
    key: [keyHeads * headWidth, width],
    value: [keyHeads * headWidth, width],
    output: [width, heads * headWidth],
    gate: [hidden, width],
    up: [hidden, width],
    down: [width, hidden],
  };
  return shapes[name];
}

export type LayerWeights = Record<MatrixName | GainName, Float32Array>;

export interface Weights {
  layers: LayerWeights[];
  finalNorm: Float32Array;
}

/** Operations per token, without attention and output. */
export const layerOperations = (own: Architecture): number =>
  MATRICES.reduce((sum, name) => sum + 2 * matrixShape(name, own)[0] * matrixShape(name, own)[1], 0);

/** Throws TextBaseError for inconsistent sizes. */
export function checkArchitecture(own: Architecture): Architecture {
  for (const [name, value] of Object.entries(own)) {
    if (!(Number.isFinite(value) && value > 0)) throw new TextBaseError(`the base's ${name} is ${value}`);
  }
  if (own.heads % own.keyHeads !== 0)
    throw new TextBaseError(`${own.heads} heads cannot share ${own.keyHeads} key heads evenly`);
  if (own.headWidth % 2 !== 0) throw new TextBaseError(`heads of odd width ${own.headWidth} have no rotary positions`);
  return own;
}
