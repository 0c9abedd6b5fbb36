import {
  BYTE_PIECES,
  type BytePairs,
  DIGITS,
  encoderOf,
  GPT2,
  inKeptPieces,
  type Merge,
  mergerOf,
  partsOf,
  pieceBytes,
  type SplitStep,
  splitWords,
  toByteCharacters,
} from './bytePairs.ts';

export const END = 0;

export interface Vocabulary {
  /** In the byte alphabet; END is empty. */
  pieces: readonly string[];
  bytes: readonly Uint8Array[];
  encode(text: string): number[];
}

/** `pieces` follow END. Others split into smaller ones, down to bytes. */
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

/** Limit beyond the pieces of the texts; unused ones cost little, and save spelling unseen words. */
const MAX_PIECES = 50_000;

/**
 * Keeps pieces of texts, single bytes, and early merges up to `most`. Control tokens, which no merge makes, are
 * dropped.
 */
export function cutVocabulary(
  tokenizer: BytePairs,
  known: ReadonlyMap<string, number>,
  texts: Iterable<string>,
  most = MAX_PIECES,
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

const CHARACTERS_A_MERGE = 400;
const MIN_MERGES = 50;
const MAX_MERGES = 2_000;

export function trainTokenizer(texts: readonly string[]): BytePairs {
  const split = [DIGITS, GPT2];
  return { merges: trainMerges(texts, split, mostMerges(texts, MAX_MERGES)), split };
}

function mostMerges(texts: readonly string[], most: number): number {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return Math.min(most, Math.max(MIN_MERGES, Math.round(characters / CHARACTERS_A_MERGE)));
}

export const trainedVocabulary = (tokenizer: BytePairs): Vocabulary =>
  vocabularyOf(tokenizer, [...new Set([...BYTE_PIECES, ...tokenizer.merges.map(([a, b]) => a + b)])]);

const MAX_ADDED = 1_000;

/** Adds merges trained on the texts to a small base. */
export function extendedVocabulary(
  { merges, split }: BytePairs,
  known: ReadonlyMap<string, number>,
  texts: readonly string[],
): Vocabulary {
  const added = trainMerges(texts, split, mostMerges(texts, MAX_ADDED), mergerOf({ merges }));
  const made = [...BYTE_PIECES, ...merges.map(([a, b]) => a + b)].filter((piece) => known.has(piece));
  const extended = { merges: [...merges, ...added], split };
  return vocabularyOf(extended, [...new Set([...made, ...added.map(([a, b]) => a + b)])]);
}

interface Word {
  pieces: string[];
  count: number;
}

/** Rarer pairs would memorise their rows. */
const MIN_COUNT = 5;

/** Merges the most frequent pair repeatedly; ties go by code units. */
export function trainMerges(
  texts: readonly string[],
  split: readonly SplitStep[],
  most: number,
  piecesOf = (word: string): string[] => [...word],
): Merge[] {
  const words = countWords(texts, split, piecesOf);
  const counts = new Map<string, number>();
  const occurrences = new Map<string, Set<number>>();
  words.forEach((word, at) => {
    addPairs(word, at, 1, counts, occurrences);
  });
  const merges: Merge[] = [];
  while (merges.length < most) {
    const pair = mostFrequent(counts);
    if (pair === undefined) break;
    const [a, b] = pair.split(' ') as [string, string];
    merges.push([a, b]);
    for (const at of occurrences.get(pair)!) {
      const word = words[at]!;
      addPairs(word, at, -1, counts, occurrences);
      word.pieces = joined(word.pieces, a, b);
      addPairs(word, at, 1, counts, occurrences);
    }
    counts.delete(pair);
    occurrences.delete(pair);
  }
  return merges;
}

function countWords(
  texts: readonly string[],
  split: readonly SplitStep[],
  piecesOf: (word: string) => string[],
): Word[] {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of splitWords(text, split)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => ({ pieces: piecesOf(toByteCharacters(word)), count }));
}

function addPairs(
  { pieces, count }: Word,
  at: number,
  sign: 1 | -1,
  counts: Map<string, number>,
  occurrences: Map<string, Set<number>>,
): void {
  for (let k = 0; k + 1 < pieces.length; k++) {
    const pair = `${pieces[k]} ${pieces[k + 1]}`;
    counts.set(pair, (counts.get(pair) ?? 0) + sign * count);
    if (sign < 0) continue;
    const own = occurrences.get(pair);
    if (own) own.add(at);
    else occurrences.set(pair, new Set([at]));
  }
}

function mostFrequent(counts: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  let most = MIN_COUNT - 1;
  for (const [pair, count] of counts) {
    if (count > most || (count === most && best !== undefined && pair < best)) {
      best = pair;
      most = count;
    }
  }
  return best;
}

function joined(pieces: readonly string[], a: string, b: string): string[] {
  const out: string[] = [];
  for (let k = 0; k < pieces.length; k++) {
    if (pieces[k] === a && pieces[k + 1] === b) {
      out.push(a + b);
      k++;
    } else out.push(pieces[k]!);
  }
  return out;
}
