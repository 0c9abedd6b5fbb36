/**
 * Where the texts of a column have capitals, digits, spaces and other signs, and where they end. Of a text only the signs are looked at, letters
 * that stand together being one, and digits, too: "A hint of 3." is "Aa a a 0.". A text goes on as texts of many owners do behind the same few
 * signs: a network of few weights now and then writes "espresso. cleanly" or "dark,ripe", and ends without a full stop.
 */
import { z } from 'zod';
import type { Owners } from '../../disclosure/guardTexts.ts';
import { OwnedTally } from './ownedTally.ts';

export const punctuationSchema = z.object({
  /** By up to three signs that stand in texts of many owners: the signs that texts of some of these have next. */
  following: z.array(z.tuple([z.string(), z.string()])),
});
export type Punctuation = z.infer<typeof punctuationSchema>;

/** Signs that are looked back at. */
const LOOKED_BACK_AT = 3;
/** What fewer owners have does not say what comes next. */
const MIN_OWNERS = 50;
/** Characters that are looked at, about, in texts from all of the column. */
const MAX_CHARACTERS = 2e6;
const [LOWER, UPPER, DIGIT] = ['a', 'A', '0'];
/** No text has them: other control characters count as ends of lines. */
const [START, END] = ['\u0002', '\u0003'];

const IS_UPPER = /\p{Lu}/u;
const IS_LETTER = /[\p{L}\p{M}]/u;
const IS_DIGIT = /\p{Nd}/u;

function signOf(character: string): string {
  if (IS_LETTER.test(character)) return IS_UPPER.test(character) ? UPPER : LOWER;
  if (IS_DIGIT.test(character)) return DIGIT;
  return character < ' ' ? '\n' : character;
}

/** The last signs of a text. */
export type Signs = string;
export const NO_SIGNS: Signs = START;

/** Whether a sign goes on with what is there: one of several letters or digits. */
const isSame = (signs: Signs, sign: string): boolean =>
  (sign === LOWER || sign === UPPER || sign === DIGIT) && signs.endsWith(sign);
const withSign = (signs: Signs, sign: string): Signs => (signs + sign).slice(-LOOKED_BACK_AT);
const endsOf = (signs: Signs): Signs[] => Array.from({ length: signs.length + 1 }, (_, from) => signs.slice(from));

/** @param owners of each text, those of one owner one under the other; without them each is its own. */
export function fitPunctuation(texts: readonly string[], owners?: Owners): Punctuation {
  const [befores, pairs] = [new OwnedTally(owners), new OwnedTally(owners)];
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  const stride = Math.max(1, Math.ceil(characters / MAX_CHARACTERS));
  for (let text = 0; text < texts.length; text += stride) {
    for (const [signs, next] of pairsIn(texts[text]!)) {
      for (const before of endsOf(signs)) {
        befores.add(before, text);
        pairs.add(before + next, text);
      }
    }
  }
  const following = new Map<string, string>();
  for (const [pair] of pairs.common()) {
    const [before, next] = [[...pair].slice(0, -1).join(''), [...pair].at(-1)!];
    if (befores.ownersOf(before) >= MIN_OWNERS) following.set(before, (following.get(before) ?? '') + next);
  }
  return { following: [...following].sort(([a], [b]) => (a < b ? -1 : 1)) };
}

/** Each sign of a text with those before it. */
function pairsIn(text: string): [Signs, string][] {
  const pairs: [Signs, string][] = [];
  let signs = NO_SIGNS;
  for (const character of text) {
    const sign = signOf(character);
    if (isSame(signs, sign)) continue;
    pairs.push([signs, sign]);
    signs = withSign(signs, sign);
  }
  return [...pairs, [signs, END]];
}

export interface Punctuator {
  /** The last signs of a text with these characters behind; undefined where they may not follow. */
  after(signs: Signs, characters: string): Signs | undefined;
  /** Whether the text may end. */
  mayEnd(signs: Signs): boolean;
}

/** Where no beginning of the signs is known to be followed by some, all may follow. */
export function createPunctuator({ following }: Punctuation): Punctuator {
  const known = new Map(following);
  const mayFollow = (signs: Signs, next: string): boolean => {
    const before = endsOf(signs).find((own) => known.has(own));
    return before === undefined || known.get(before)!.includes(next);
  };
  return {
    after(signs, characters) {
      let now = signs;
      for (const character of characters) {
        const sign = signOf(character);
        if (isSame(now, sign)) continue;
        if (!mayFollow(now, sign)) return undefined;
        now = withSign(now, sign);
      }
      return now;
    },
    mayEnd: (signs) => mayFollow(signs, END),
  };
}
