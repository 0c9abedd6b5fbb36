/** Byte-level byte-pair encoding (Sennrich, Haddow and Birch, 2016; Radford et al., 2019). */

/** In the byte alphabet. */
export type Merge = readonly [string, string];

export interface BytePairs {
  /** By precedence. */
  readonly merges: readonly Merge[];
  readonly split: readonly SplitStep[];
}

const REMEMBERED_WORDS = 200_000;

export function encoderOf({ merges, split }: BytePairs): (text: string) => string[] {
  const ranks = ranksOf(merges);
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

/** Merges byte-alphabet text as one word. */
export function mergerOf({ merges }: Pick<BytePairs, 'merges'>): (word: string) => string[] {
  const ranks = ranksOf(merges);
  return (word) => mergeWord([...word], ranks);
}

const ranksOf = (merges: readonly Merge[]): ReadonlyMap<string, number> =>
  new Map(merges.map(([a, b], rank) => [`${a} ${b}`, rank]));

/** Merges the lowest rank until none is left. */
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

/** Returns both parts of each merged piece. */
export function partsOf({ merges }: BytePairs): ReadonlyMap<string, Merge> {
  const parts = new Map<string, Merge>();
  for (const merge of merges) {
    const piece = merge[0] + merge[1];
    if (!parts.has(piece)) parts.set(piece, merge);
  }
  return parts;
}

/** Splits recursively, down to bytes. */
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

/** GPT-2's byte alphabet: a printable character for each byte. */

const isPrintable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

const CHARACTERS: readonly string[] = (() => {
  let moved = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : 256 + moved++));
})();

const BYTES: ReadonlyMap<string, number> = new Map(CHARACTERS.map((character, byte) => [character, byte]));

export const BYTE_PIECES = CHARACTERS;

const encoder = new TextEncoder();

/** Lone surrogates become the replacement character. */
export function toByteCharacters(text: string): string {
  let out = '';
  for (const byte of encoder.encode(text)) out += CHARACTERS[byte]!;
  return out;
}

/** Undefined for characters outside the alphabet. */
export function pieceBytes(piece: string): Uint8Array | undefined {
  const bytes: number[] = [];
  for (const character of piece) {
    const byte = BYTES.get(character);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** A global Unicode pattern; matches and the gaps between them are words. */
export type SplitStep = RegExp;

export const GPT2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
export const DIGITS = /\p{N}/gu;
const LLAMA3 =
  /(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;
const QWEN2 =
  /(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** By name in GGUF files (`tokenizer.ggml.pre`). */
export const SPLITS: Readonly<Record<string, readonly SplitStep[]>> = {
  'gpt-2': [GPT2],
  default: [GPT2],
  smollm: [DIGITS, GPT2],
  starcoder: [DIGITS, GPT2],
  refact: [DIGITS, GPT2],
  'llama-bpe': [LLAMA3],
  qwen2: [QWEN2],
};

/** Merging takes quadratic time. */
const LONGEST_WORD = 200;

export function splitWords(text: string, steps: readonly SplitStep[]): string[] {
  let parts = [text];
  for (const pattern of steps) parts = parts.flatMap((part) => cut(part, pattern));
  return parts.flatMap((part) => (part.length <= LONGEST_WORD ? [part] : shorter(part)));
}

function cut(text: string, pattern: RegExp): string[] {
  const out: string[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) out.push(text.slice(from, match.index));
    if (match[0].length > 0) out.push(match[0]);
    from = match.index + match[0].length;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

function shorter(word: string): string[] {
  const characters = [...word];
  const out: string[] = [];
  for (let from = 0; from < characters.length; from += LONGEST_WORD) {
    out.push(characters.slice(from, from + LONGEST_WORD).join(''));
  }
  return out;
}

/** Missing continuation bytes, and bounds of the next. */
export interface Utf8State {
  missing: number;
  least: number;
  most: number;
}

export const WHOLE: Utf8State = { missing: 0, least: 0x80, most: 0xbf };

/** Undefined if the byte cannot follow (Unicode 15, table 3-7). */
function afterByte(state: Utf8State, byte: number): Utf8State | undefined {
  if (state.missing > 0) {
    if (byte < state.least || byte > state.most) return undefined;
    return { ...WHOLE, missing: state.missing - 1 };
  }
  if (byte < 0x80) return WHOLE;
  if (byte >= 0xc2 && byte <= 0xdf) return { ...WHOLE, missing: 1 };
  if (byte >= 0xe0 && byte <= 0xef) {
    return { missing: 2, least: byte === 0xe0 ? 0xa0 : 0x80, most: byte === 0xed ? 0x9f : 0xbf };
  }
  if (byte >= 0xf0 && byte <= 0xf4) {
    return { missing: 3, least: byte === 0xf0 ? 0x90 : 0x80, most: byte === 0xf4 ? 0x8f : 0xbf };
  }
  return undefined;
}

/** Undefined if the bytes cannot follow. */
export function afterBytes(state: Utf8State, bytes: Uint8Array): Utf8State | undefined {
  let now: Utf8State | undefined = state;
  for (const byte of bytes) {
    now = afterByte(now, byte);
    if (!now) return undefined;
  }
  return now;
}

/** Omits an incomplete character at the end. */
export function decodePieces(pieces: readonly Uint8Array[]): string {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes, { stream: true });
}
