/** Byte-level byte-pair encoding (Sennrich, Haddow and Birch, 2016; Radford et al., 2019): text to pieces and back. */

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

/** A function that merges what is written in the alphabet of bytes, as one word. */
export function mergerOf({ merges }: Pick<BytePairs, 'merges'>): (word: string) => string[] {
  const ranks = ranksOf(merges);
  return (word) => mergeWord([...word], ranks);
}

const ranksOf = (merges: readonly Merge[]): ReadonlyMap<string, number> =>
  new Map(merges.map(([a, b], rank) => [`${a} ${b}`, rank]));

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

/** The two pieces that each merged piece was merged from. */
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

/** GPT-2's alphabet of bytes: one printable character for each of the 256, in which pieces and merges are written. */

const isPrintable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

const CHARACTERS: readonly string[] = (() => {
  let moved = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : 256 + moved++));
})();

const BYTES: ReadonlyMap<string, number> = new Map(CHARACTERS.map((character, byte) => [character, byte]));

/** The 256 pieces of one byte, by byte. */
export const BYTE_PIECES = CHARACTERS;

const encoder = new TextEncoder();

/** UTF-8 bytes of a text as characters of the alphabet. Halves of surrogate pairs become the replacement character. */
export function toByteCharacters(text: string): string {
  let out = '';
  for (const byte of encoder.encode(text)) out += CHARACTERS[byte]!;
  return out;
}

/** The bytes of a piece; undefined where it has a character outside the alphabet. */
export function pieceBytes(piece: string): Uint8Array | undefined {
  const bytes: number[] = [];
  for (const character of piece) {
    const byte = BYTES.get(character);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

// Cuts text into words, inside of which pieces are merged.

/** A pattern, global and by code points: every match is a word, and so is what stands between matches. */
export type SplitStep = RegExp;

/** GPT-2's pattern: contractions, runs of letters, of digits and of other signs with the space before them, and spaces. */
export const GPT2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
export const DIGITS = /\p{N}/gu;
const LLAMA3 =
  /(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;
const QWEN2 =
  /(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** Ways of cutting by the names that GGUF files give them (`tokenizer.ggml.pre`). */
export const SPLITS: Readonly<Record<string, readonly SplitStep[]>> = {
  'gpt-2': [GPT2],
  default: [GPT2],
  smollm: [DIGITS, GPT2],
  starcoder: [DIGITS, GPT2],
  refact: [DIGITS, GPT2],
  'llama-bpe': [LLAMA3],
  qwen2: [QWEN2],
};

/** Characters of one word, at most: merging takes the square of it. */
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

// Bytes as they come, piece by piece: which pieces go on as whole UTF-8, and the text that they make.

/** What is open after some bytes: how many continuation bytes must follow, and the bounds of the next. */
export interface Utf8State {
  missing: number;
  least: number;
  most: number;
}

export const WHOLE: Utf8State = { missing: 0, least: 0x80, most: 0xbf };

/** The state after a byte; undefined where it cannot stand there (Unicode 15, table 3-7). */
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

/** The state after the bytes of a piece; undefined where they cannot stand there. */
export function afterBytes(state: Utf8State, bytes: Uint8Array): Utf8State | undefined {
  let now: Utf8State | undefined = state;
  for (const byte of bytes) {
    now = afterByte(now, byte);
    if (!now) return undefined;
  }
  return now;
}

/** The text of pieces that make whole UTF-8; what is open at the end is left out. */
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
