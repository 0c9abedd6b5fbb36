/** Byte-level byte-pair encoding (Sennrich, Haddow and Birch, 2016; Radford et al., 2019): text to pieces and back. */
import { BYTE_PIECES, toByteCharacters } from './byteAlphabet.ts';
import { type SplitStep, splitWords } from './splitWords.ts';

/** Two pieces, in the alphabet of bytes, that become one. */
export type Merge = readonly [string, string];

export interface BytePairs {
  /** In order of precedence. */
  readonly merges: readonly Merge[];
  readonly split: readonly SplitStep[];
}

/** Words whose pieces are remembered, at most. */
const REMEMBERED_WORDS = 200_000;

/** A function that gives a text's pieces. */
export function encoderOf({ merges, split }: BytePairs): (text: string) => string[] {
  const ranks = new Map(merges.map(([a, b], rank) => [`${a} ${b}`, rank]));
  const known = new Map<string, string[]>();
  const piecesOf = (word: string): string[] => {
    const before = known.get(word);
    if (before) return before;
    const pieces = mergeWord([...toByteCharacters(word)], ranks);
    if (known.size < REMEMBERED_WORDS) known.set(word, pieces);
    return pieces;
  };
  return (text) => splitWords(text, split).flatMap(piecesOf);
}

/** Merges the pair of lowest rank, everywhere, until none is left. */
function mergeWord(pieces: string[], ranks: ReadonlyMap<string, number>): string[] {
  for (;;) {
    let best = Number.POSITIVE_INFINITY;
    for (let k = 0; k + 1 < pieces.length; k++) {
      best = Math.min(best, ranks.get(`${pieces[k]} ${pieces[k + 1]}`) ?? Number.POSITIVE_INFINITY);
    }
    if (best === Number.POSITIVE_INFINITY) return pieces;
    const next: string[] = [];
    for (let k = 0; k < pieces.length; k++) {
      const isPair = k + 1 < pieces.length && ranks.get(`${pieces[k]} ${pieces[k + 1]}`) === best;
      next.push(isPair ? pieces[k]! + pieces[++k]! : pieces[k]!);
    }
    pieces = next;
  }
}

/** Of each merged piece, the two that it was merged from. */
export function partsOf({ merges }: BytePairs): ReadonlyMap<string, Merge> {
  const parts = new Map<string, Merge>();
  for (const merge of merges) {
    const piece = merge[0] + merge[1];
    if (!parts.has(piece)) parts.set(piece, merge);
  }
  return parts;
}

/** A piece in pieces that are kept: its parts, and theirs, down to single bytes. */
export function inKeptPieces(
  piece: string,
  isKept: (piece: string) => boolean,
  parts: ReadonlyMap<string, Merge>,
): string[] {
  if (isKept(piece)) return [piece];
  const own = parts.get(piece);
  if (own) return own.flatMap((part) => inKeptPieces(part, isKept, parts));
  return [...piece];
}

export const allBytes = (): string[] => [...BYTE_PIECES];
