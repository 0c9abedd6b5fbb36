/** Describes identifiers by shapes and the characters in each place. */
import { z } from 'zod';

const positionSchema = z.object({ characters: z.array(z.string()).min(1), counts: z.array(z.int().positive()).min(1) });

export const patternSchema = z.object({
  shapes: z
    .array(
      z.object({
        count: z.int().positive(),
        positions: z.array(positionSchema),
      }),
    )
    .min(1),
});
export type Pattern = z.infer<typeof patternSchema>;
export type Shape = Pattern['shapes'][number];
export type Position = z.infer<typeof positionSchema>;

export const MAX_IDS = 20_000;
const MAX_SHAPES = 500;
/** Below this, a word is not part of the form. */
const MIN_WORDS = 5;
const WORD_SHARE = 0.01;
/** Below this, a constant place is not part of the form. */
const MIN_CONSTANT = 3;
/** Below this, a place allows characters not seen. */
const MIN_OBSERVED = 20;

const CLASSES = [
  { test: /^[0-9]$/, mark: '\u0001', characters: [...'0123456789'] },
  { test: /^[a-z]$/, mark: '\u0002', characters: [...'abcdefghijklmnopqrstuvwxyz'] },
  { test: /^[A-Z]$/, mark: '\u0003', characters: [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'] },
] as const;
const OTHER_LETTER = /^[\p{L}\p{N}]$/u;
const OTHER_MARK = '\u0004';

/** @param all Distinct, non-empty identifiers. */
export function inferPattern(all: readonly string[]): Pattern {
  const stride = Math.max(1, all.length / MAX_IDS);
  const ids = Array.from({ length: Math.ceil(all.length / stride) }, (_, i) => all[Math.floor(i * stride)]!);
  const spelled = ids.map((id) => [...id]);
  const mark = isAligned(spelled) ? markAligned : markByClass(frequentWords(ids));
  const groups = new Map<string, string[][]>();
  for (const characters of spelled) {
    const key = mark(characters);
    const group = groups.get(key);
    if (group) group.push(characters);
    else groups.set(key, [characters]);
  }
  const letters = [...new Set(spelled.flat())].filter(isWordly);
  const shapes = [...groups].sort((a, b) => b[1].length - a[1].length).slice(0, MAX_SHAPES);
  return {
    shapes: shapes.map(([key, members]) => ({ count: members.length, positions: positionsOf(key, members, letters) })),
  };
}

/** Returns the characters of the same class; undefined for signs and spaces. */
export function classOf(character: string): readonly string[] | undefined {
  return CLASSES.find(({ test }) => test.test(character))?.characters;
}

const isWordly = (character: string): boolean => OTHER_LETTER.test(character);

/** Equal lengths with signs in the same places, as in UUIDs. */
function isAligned(spelled: readonly string[][]): boolean {
  const [first] = spelled;
  if (!first || spelled.length < MIN_OBSERVED) return false;
  return spelled.every(
    (characters) =>
      characters.length === first.length &&
      characters.every((character, at) => isWordly(character) === isWordly(first[at]!)) &&
      characters.every((character, at) => isWordly(character) || character === first[at]),
  );
}

const markAligned = (characters: readonly string[]): string =>
  characters.map((character) => (isWordly(character) ? OTHER_MARK : character)).join('');

function frequentWords(ids: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    for (const word of new Set(id.match(/\p{L}+/gu) ?? [])) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const least = Math.max(MIN_WORDS, WORD_SHARE * ids.length);
  return new Set([...counts].filter(([, count]) => count >= least).map(([word]) => word));
}

const markByClass =
  (words: ReadonlySet<string>) =>
  (characters: readonly string[]): string => {
    const runs = characters.join('').match(/\p{L}+|[^\p{L}]/gu) ?? [];
    return runs.map((run) => (words.has(run) ? run : [...run].map(markOf).join(''))).join('');
  };

const markOf = (character: string): string =>
  CLASSES.find(({ test }) => test.test(character))?.mark ?? (isWordly(character) ? OTHER_MARK : character);

function positionsOf(key: string, members: readonly string[][], letters: readonly string[]): Position[] {
  const isFew = members.length < MIN_OBSERVED;
  return [...key].map((mark, at) => {
    const seen = new Map<string, number>();
    for (const characters of members) seen.set(characters[at]!, (seen.get(characters[at]!) ?? 0) + 1);
    const isForm = mark > OTHER_MARK || (seen.size === 1 && members.length >= MIN_CONSTANT);
    if (isForm || !isFew) return { characters: [...seen.keys()], counts: [...seen.values()] };
    const begins = at === 0 || key[at - 1] !== mark;
    const characters = widened([...seen.keys()], letters, begins);
    return { characters, counts: characters.map(() => 1) };
  });
}

/** Returns all characters of the classes seen; a number starts with 0 only if seen. */
export function widened(seen: readonly string[], letters: readonly string[], beginsNumber: boolean): string[] {
  const classes = seen.map((character) => classOf(character) ?? (isWordly(character) ? letters : [character]));
  const all = [...new Set(classes.flat())];
  return beginsNumber && !seen.includes('0') && all.length > 1 ? all.filter((character) => character !== '0') : all;
}

// Detects running identifiers: a constant prefix and suffix around a number that only rises or falls.

export const sequenceSchema = z.object({
  prefix: z.string(),
  suffix: z.string(),
  /** Minimum digits, zero-padded. */
  width: z.int(),
  /** May exceed a double. */
  largest: z.string(),
  isDescending: z.boolean(),
  /** Differences of successive numbers; one if all are equal. */
  steps: z.array(z.string()).min(1),
});
export type Sequence = z.infer<typeof sequenceSchema>;

const LEAST = 3;
const MAX_STEPS = 1000;
const DIGITS = /^\d{1,100}$/;

/**
 * @param ids Distinct, in order of first appearance.
 * @returns undefined if they do not form a sequence.
 */
export function inferSequence(ids: readonly string[]): Sequence | undefined {
  if (ids.length < LEAST) return undefined;
  const prefix = commonPrefix(ids).replace(/\d+$/, '');
  const suffix = commonSuffix(ids.map((id) => id.slice(prefix.length))).replace(/^\d+/, '');
  const digits = ids.map((id) => id.slice(prefix.length, id.length - suffix.length));
  if (!digits.every((text) => DIGITS.test(text))) return undefined;
  const numbers = digits.map(BigInt);
  const isDescending = numbers[1]! < numbers[0]!;
  const steps: bigint[] = [];
  for (let i = 1; i < numbers.length; i++) {
    const step = isDescending ? numbers[i - 1]! - numbers[i]! : numbers[i]! - numbers[i - 1]!;
    if (step <= 0n) return undefined;
    steps.push(step);
  }
  const largest = isDescending ? numbers[0]! : numbers.at(-1)!;
  return { prefix, suffix, width: widthOf(digits), largest: String(largest), isDescending, steps: keptSteps(steps) };
}

function widthOf(digits: readonly string[]): number {
  const shortest = digits.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  const isFixed = digits.every(({ length }) => length === shortest);
  return isFixed || digits.some((text) => text.length > 1 && text.startsWith('0')) ? shortest : 1;
}

function keptSteps(steps: readonly bigint[]): string[] {
  if (steps.every((step) => step === steps[0])) return [String(steps[0])];
  const stride = Math.max(1, steps.length / MAX_STEPS);
  const kept: string[] = [];
  for (let at = 0; at < steps.length; at += stride) kept.push(String(steps[Math.floor(at)]));
  return kept;
}

function commonPrefix(texts: readonly string[]): string {
  let prefix = texts[0] ?? '';
  for (const text of texts) {
    while (!text.startsWith(prefix)) prefix = prefix.slice(0, -1);
  }
  return prefix;
}

function commonSuffix(texts: readonly string[]): string {
  let suffix = texts[0] ?? '';
  for (const text of texts) {
    while (!text.endsWith(suffix)) suffix = suffix.slice(1);
  }
  return suffix;
}
