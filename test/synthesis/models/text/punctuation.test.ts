import { describe, expect, test } from 'vitest';
import {
  createPunctuator,
  fitPunctuation,
  NO_SIGNS,
  type Punctuator,
} from '../../../../packages/synthesis/models/text/punctuation.ts';

/** Character by character, as far as the punctuator goes along; … where the text may not end. */
function written({ after, mayEnd }: Punctuator, text: string): string {
  let now = NO_SIGNS;
  for (const [at, character] of [...text].entries()) {
    const next = after(now, character);
    if (next === undefined) return [...text].slice(0, at).join('');
    now = next;
  }
  return mayEnd(now) ? text : `${text}…`;
}

const texts = Array.from({ length: 200 }, (_, row) => {
  const [fruit, year] = [['Cherry', 'Dark plum', 'Ripe fig'][row % 3], 2000 + (row % 20)];
  return row % 2 === 0 ? `${fruit}, oak and spice. Drink by ${year}.` : `${fruit} (${year}): dry, long.`;
});

describe('punctuation', () => {
  test.each([
    ['Plum, oak. Drink in 1987.', 'Plum, oak. Drink in 1987.'],
    ['plum', ''],
    ['Plum, oak. drink', 'Plum, oak. '],
    ['Plum,oak', 'Plum,'],
    ['Plum  oak', 'Plum '],
    ['Plum, oak', 'Plum, oak…'],
    ['PluM', 'Plu'],
    ['Äpfel, öl. É', 'Äpfel, öl. É…'],
    ['Plum; oak', 'Plum'],
    ['Fig (2001): dry, as oak.', 'Fig (2001): dry, as oak.'],
    ['Fig (2001). D', 'Fig (2001)'],
  ])('%s → %s', (text, expected) => {
    expect(written(createPunctuator(fitPunctuation(texts)), text)).toBe(expected);
  });

  test('of several characters is as of each', () => {
    const { after } = createPunctuator(fitPunctuation(texts));
    expect(after(NO_SIGNS, 'Plum, oak')).toBe(', a');
    expect(after(NO_SIGNS, 'Plum,oak')).toBeUndefined();
  });

  test('lets every real text through whose signs others have, too', () => {
    const punctuator = createPunctuator(fitPunctuation(texts));
    for (const text of texts) expect(written(punctuator, text)).toBe(text);
  });

  test('is not that of one owner, however many texts have it', () => {
    const some = texts.map((text, row) => (row < 60 ? `* ${text}` : text));
    const ofOne = some.map((_, row) => (row < 60 ? 0 : row));
    expect(written(createPunctuator(fitPunctuation(some)), '* Fig')).toBe('* Fig…');
    expect(written(createPunctuator(fitPunctuation(some, ofOne)), '* Fig')).toBe('');
  });

  test('says little of signs that few owners have, and nothing where texts are few', () => {
    const rare = texts.map((text, row) => (row < 20 ? `${text} [sic]` : text));
    const punctuator = createPunctuator(fitPunctuation(rare));
    // Fewer than fifty have "[": what comes behind is said by none of its signs.
    expect(written(punctuator, 'Fig (2001): dry, long. [x')).toBe('Fig (2001): dry, long. [x…');
    expect(written(createPunctuator(fitPunctuation(texts.slice(0, 40))), 'a;;B')).toBe('a;;B');
    expect(written(createPunctuator({ following: [] }), 'a;;B')).toBe('a;;B');
  });
});
