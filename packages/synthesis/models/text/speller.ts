import { hashText } from '../../disclosure/guardTexts.ts';
import { prefixFinder, type Spelling, withoutDigits } from './spelling.ts';

/**
 * Allowed rate of new words relative to real texts, whose new words are mostly names; generated ones are mostly errors.
 */
const LET_THROUGH = 0.25;

const IS_LETTER = /[\p{L}\p{M}]/u;
const IS_IN_RUN = /[\p{L}\p{M}\p{Nd}]/u;
const ENDS_MIXED = /(?:\p{Ll}\p{Lu}|\p{L}0|0\p{L})$/u;

interface Counts {
  words: number;
  others: number;
  repeated: number;
  forms: number;
}
const NONE: Counts = { words: 0, others: 0, repeated: 0, forms: 0 };

export interface Spelled {
  /** Unfinished word, in lower case. */
  word: string;
  /** Whether it is an allowed new word. */
  isOther: boolean;
  /** The preceding word, if only a space separates them. */
  last: string;
  /** Trailing letters and digits, each digit as 0. */
  run: string;
  counts: Counts;
}

export const UNSPELLED: Spelled = { word: '', isOther: false, last: '', run: '', counts: NONE };

export interface Speller {
  /** Undefined if these characters may not follow. */
  after(spelled: Spelled, characters: string): Spelled | undefined;
  mayEnd(spelled: Spelled): boolean;
  isWhole(spelled: Spelled): boolean;
  /** Counts what was written, to limit new words. */
  took(before: Spelled, after: Spelled): void;
}

export const createSpeller = (spelling: Spelling, english: ReadonlySet<string>): Speller =>
  new ListSpeller(spelling, english);

class ListSpeller implements Speller {
  readonly #spelling: Spelling;
  readonly #known: ReadonlySet<string>;
  readonly #mayNotEnd: ReadonlySet<string>;
  readonly #mayNotStand: ReadonlySet<number>;
  readonly #mayNotBegin: ReadonlySet<number>;
  readonly #begins: (prefix: string) => boolean;
  readonly #beginsForm: (prefix: string) => boolean;
  readonly #written = { ...NONE };

  constructor(spelling: Spelling, english: ReadonlySet<string>) {
    const { own, usesList, unending, rare, rarelyBegun, forms } = spelling;
    this.#spelling = spelling;
    this.#known = new Set(usesList ? [...own, ...english] : own);
    this.#mayNotEnd = new Set(unending);
    this.#mayNotStand = new Set(rare);
    this.#mayNotBegin = new Set(rarelyBegun);
    this.#begins = prefixFinder([...this.#known].sort());
    this.#beginsForm = forms ? prefixFinder(forms.mixed) : () => true;
  }

  after(spelled: Spelled, characters: string): Spelled | undefined {
    let now: Spelled | undefined = spelled;
    for (const character of characters) now = now && this.#next(now, character);
    return now;
  }

  mayEnd({ word, isOther }: Spelled): boolean {
    if (this.#mayNotEnd.has(word)) return false;
    return (!isOther && this.#isKnown(word)) || ((isOther || this.#mayBeOther()) && this.#isNew(word));
  }

  isWhole({ word, isOther }: Spelled): boolean {
    return !isOther && this.#isKnown(word);
  }

  took({ counts: before }: Spelled, { counts: after }: Spelled): void {
    this.#written.words += after.words - before.words;
    this.#written.others += after.others - before.others;
    this.#written.repeated += after.repeated - before.repeated;
    this.#written.forms += after.forms - before.forms;
  }

  #next(spelled: Spelled, character: string): Spelled | undefined {
    const formed = this.#formed(spelled, character);
    if (!formed) return undefined;
    return IS_LETTER.test(character) ? this.#withLetter(formed, character) : this.#withEnd(formed, character);
  }

  #formed(spelled: Spelled, character: string): Spelled | undefined {
    const run = IS_IN_RUN.test(character) ? spelled.run + withoutDigits(character) : '';
    if (!ENDS_MIXED.test(run) || this.#beginsForm(run)) return { ...spelled, run };
    const isLetThrough = this.#isLetThrough(this.#spelling.forms?.share ?? 1, this.#written.forms);
    return isLetThrough ? { ...spelled, run, counts: plus(spelled.counts, 'forms') } : undefined;
  }

  #withLetter(spelled: Spelled, letter: string): Spelled | undefined {
    const word = spelled.word + letter.toLowerCase();
    const own = this.#asOther({ ...spelled, word }, this.#begins(word));
    return own?.isOther && this.#mayNotBegin.has(hashText(word)) ? undefined : own;
  }

  #withEnd(spelled: Spelled, character: string): Spelled | undefined {
    const { word, last } = spelled;
    const own = this.#asOther(spelled, this.#isKnown(word));
    if (!own || (own.isOther && !this.#isNew(word))) return undefined;
    const ended = { ...own, word: '', isOther: false, last: character === ' ' ? word : '' };
    if (word === '') return ended;
    const counts = plus(own.counts, 'words');
    if (word !== last) return { ...ended, counts };
    const { words, repeated } = this.#written;
    const mayRepeat = repeated + 1 <= this.#spelling.repeated * (words + 1);
    return mayRepeat ? { ...ended, counts: plus(counts, 'repeated') } : undefined;
  }

  /** Undefined if the word does not fit, and no new one is allowed. */
  #asOther(spelled: Spelled, fits: boolean): Spelled | undefined {
    if (fits || spelled.isOther) return spelled;
    return this.#mayBeOther() ? { ...spelled, isOther: true, counts: plus(spelled.counts, 'others') } : undefined;
  }

  #isKnown(word: string): boolean {
    return word === '' || this.#known.has(word);
  }

  #isNew(word: string): boolean {
    return !this.#mayNotStand.has(hashText(word));
  }

  #mayBeOther(): boolean {
    return this.#isLetThrough(this.#spelling.others, this.#written.others);
  }

  #isLetThrough(share: number, so: number): boolean {
    return so + 1 <= LET_THROUGH * share * (this.#written.words + 1);
  }
}

const plus = (counts: Counts, which: keyof Counts): Counts => ({ ...counts, [which]: counts[which] + 1 });
