/** A base: a language model as it comes in files, ready to be cut to a vocabulary and trained further. */
import type { BytePairs } from '../tokens/bytePairs.ts';
import type { Architecture, Weights } from './architecture.ts';

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
