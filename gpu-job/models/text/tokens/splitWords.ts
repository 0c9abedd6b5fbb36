/** Cuts text into words, inside of which pieces are merged. */

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
