/**
 * Capitals, digits, spaces and signs of generated texts. Runs of letters or digits count once: "A hint of 3." is "Aa a
 * a 0.". Otherwise small networks write "dark,ripe", or omit the final stop.
 */
import { z } from 'zod';
import type { Owners } from '../../disclosure/guardTexts.ts';
import { OwnedTally } from './ownedTally.ts';

export const punctuationSchema = z.object({
  /** Allowed next signs, by up to three common preceding ones. */
  following: z.array(z.tuple([z.string(), z.string()])),
});
export type Punctuation = z.infer<typeof punctuationSchema>;

const LOOKED_BACK_AT = 3;
/** Contexts of fewer owners restrict nothing. */
const MIN_OWNERS = 50;
/** Beyond this, texts are sampled. */
const MAX_CHARACTERS = 2e6;
const [LOWER, UPPER, DIGIT] = ['a', 'A', '0'];
/** Other control characters count as line breaks, so no text has these. */
const [START, END] = ['\u0002', '\u0003'];

const IS_UPPER = /\p{Lu}/u;
const IS_LETTER = /[\p{L}\p{M}]/u;
const IS_DIGIT = /\p{Nd}/u;

function signOf(character: string): string {
  if (IS_LETTER.test(character)) return IS_UPPER.test(character) ? UPPER : LOWER;
  if (IS_DIGIT.test(character)) return DIGIT;
  return character < ' ' ? '\n' : character;
}

export type Signs = string;
export const NO_SIGNS: Signs = START;

/** Whether it continues a run of letters or digits. */
const isSame = (signs: Signs, sign: string): boolean =>
  (sign === LOWER || sign === UPPER || sign === DIGIT) && signs.endsWith(sign);
const withSign = (signs: Signs, sign: string): Signs => (signs + sign).slice(-LOOKED_BACK_AT);
const endsOf = (signs: Signs): Signs[] => Array.from({ length: signs.length + 1 }, (_, from) => signs.slice(from));

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
  /** Undefined if the characters may not follow. */
  after(signs: Signs, characters: string): Signs | undefined;
  mayEnd(signs: Signs): boolean;
}

/** Backs off to shorter contexts; if none is known, any sign may follow. */
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
