/** A base: a language model as it comes in files, ready to be cut to a vocabulary and trained further. */
import type { BytePairs } from '../tokens/bytePairs.ts';

export interface TextBase {
  name: string;
  architecture: Architecture;
  tokenizer: BytePairs;
  /** Identifiers of pieces, in the alphabet of bytes. */
  pieces: ReadonlyMap<string, number>;
  /** Identifier of the piece that ends a text. */
  end: number;
  /** Row of the embedding, [width]. */
  embedding(piece: number): Float32Array;
  /** Weights of the layers asked for, in that order. Read on demand: they are large. */
  weights(layers: readonly number[]): Weights;
}

/** Files of a base by name, as they lie in its folder. */
export type BaseFiles = ReadonlyMap<string, Uint8Array>;

/** A base file that cannot be used: what was found, where, and what to do. */
export class TextBaseError extends Error {
  override readonly name = 'TextBaseError';
}

// The Llama family's architecture, as a file's own configuration gives it, and the weights that it asks for.

export interface Architecture {
  /** Width of the stream that layers read and write. */
  width: number;
  layers: number;
  heads: number;
  /** Heads of keys and values: a divisor of `heads`. */
  keyHeads: number;
  headWidth: number;
  /** Width inside the feed-forward part. */
  hidden: number;
  ropeBase: number;
  epsilon: number;
}

/** Matrices of one layer, each [outputs, inputs]. */
export const MATRICES = ['query', 'key', 'value', 'output', 'gate', 'up', 'down'] as const;
export type MatrixName = (typeof MATRICES)[number];
/** Gains of one layer's two norms, each [width]. */
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

/** Multiplications and additions of one token's way through the layers, without attention and output. */
export const layerOperations = (own: Architecture): number =>
  MATRICES.reduce((sum, name) => sum + 2 * matrixShape(name, own)[0] * matrixShape(name, own)[1], 0);

/** Throws TextBaseError where lengths do not go together. */
export function checkArchitecture(own: Architecture): Architecture {
  for (const [name, value] of Object.entries(own)) {
    if (!(Number.isFinite(value) && value > 0)) throw new TextBaseError(`the base's ${name} is ${value}`);
  }
  if (own.heads % own.keyHeads !== 0)
    throw new TextBaseError(`${own.heads} heads cannot share ${own.keyHeads} key heads evenly`);
  if (own.headWidth % 2 !== 0) throw new TextBaseError(`heads of odd width ${own.headWidth} have no rotary positions`);
  return own;
}
