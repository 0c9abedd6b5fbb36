/** The pieces that a column can use: END is 0, the others follow. */
import { BYTE_PIECES, pieceBytes } from './byteAlphabet.ts';
import { type BytePairs, encoderOf, inKeptPieces, partsOf } from './bytePairs.ts';
import { learnMerges } from './learnMerges.ts';
import { DIGITS, GPT2 } from './splitWords.ts';

/** The token that ends a text. */
export const END = 0;

export interface Vocabulary {
  /** Pieces in the alphabet of bytes; the first, END, is empty. */
  pieces: readonly string[];
  bytes: readonly Uint8Array[];
  encode(text: string): number[];
}

/** `pieces` are those after END; what is not among them is written in smaller ones, down to single bytes. */
export function vocabularyOf(tokenizer: BytePairs, pieces: readonly string[]): Vocabulary {
  const ids = new Map(pieces.map((piece, k) => [piece, k + 1]));
  const parts = partsOf(tokenizer);
  const encode = encoderOf(tokenizer);
  const isKept = (piece: string): boolean => ids.has(piece);
  return {
    pieces: ['', ...pieces],
    bytes: [new Uint8Array(), ...pieces.map((piece) => pieceBytes(piece) ?? new Uint8Array())],
    encode: (text) =>
      encode(text).flatMap((piece) =>
        inKeptPieces(piece, isKept, parts).flatMap((part) => {
          const id = ids.get(part);
          return id === undefined ? [] : [id];
        }),
      ),
  };
}

/**
 * Pieces, at most, but for those that a column's texts have: the others cost a network little, and without them words of rows
 * that nobody has seen must be spelt.
 */
const MOST_PIECES = 50_000;

/**
 * A tokenizer's vocabulary, cut to the pieces of some texts, all single bytes, and others that merges make, the first of them
 * up to `most` in all: what no merge makes, such as a sign for the end of a turn, stands in no text.
 */
export function cutVocabulary(
  tokenizer: BytePairs,
  known: ReadonlyMap<string, number>,
  texts: Iterable<string>,
  most = MOST_PIECES,
): Vocabulary {
  const encode = encoderOf(tokenizer);
  const kept = new Set(BYTE_PIECES.filter((piece) => known.has(piece)));
  for (const text of texts) for (const piece of encode(text)) if (known.has(piece)) kept.add(piece);
  for (const [a, b] of tokenizer.merges) {
    if (kept.size >= most) break;
    if (known.has(a + b)) kept.add(a + b);
  }
  return vocabularyOf(tokenizer, [...kept].sort(byIdentifier(known)));
}

const byIdentifier =
  (known: ReadonlyMap<string, number>) =>
  (a: string, b: string): number =>
    known.get(a)! - known.get(b)!;

/** Characters of text a merge, and merges, at most. */
const CHARACTERS_A_MERGE = 400;
const LEAST_MERGES = 50;
const MOST_MERGES = 2_000;

/** A tokenizer learnt from the texts themselves. */
export function learnTokenizer(texts: readonly string[]): BytePairs {
  const split = [DIGITS, GPT2];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const most = Math.min(MOST_MERGES, Math.max(LEAST_MERGES, Math.round(characters / CHARACTERS_A_MERGE)));
  return { merges: learnMerges(texts, split, most), split };
}

/** All pieces of a tokenizer that was learnt. */
export const learntVocabulary = (tokenizer: BytePairs): Vocabulary =>
  vocabularyOf(tokenizer, [...new Set([...BYTE_PIECES, ...tokenizer.merges.map(([a, b]) => a + b)])]);
