/** The texts of a column in each table, as text figures compare them: as many of each, at most. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { textNamed } from '../columns.ts';
import type { Made, Part } from '../parts.ts';
import { sampleRows } from '../sampleRows.ts';

/** Texts of a table, at most, and their characters. */
export const MOST_TEXTS = 2_000;
const MOST_CHARACTERS = 300_000;

export interface TextSides extends Record<Made, string[]> {
  train: string[];
  /** Empty where no rows were held out. */
  holdout: string[];
}

/** All sides have at most as many texts as the synthetic one has, the held-out one aside. */
export function textSides(part: Part, name: string, random: RandomStream): TextSides {
  const synthetic = someTexts(textNamed(part.synthetic, name), MOST_TEXTS, random.child('synthetic'));
  const some = (cells: readonly (string | null)[], side: string): string[] =>
    someTexts(cells, Math.max(1, synthetic.length), random.child(side));
  return {
    synthetic,
    independent: some(textNamed(part.independent, name), 'independent'),
    swapped: some(textNamed(part.swapped, name), 'swapped'),
    train: some(textNamed(part.train, name), 'train'),
    holdout: part.holdout ? someTexts(textNamed(part.holdout, name), MOST_TEXTS, random.child('holdout')) : [],
  };
}

export const isText = (cell: string | null | undefined): cell is string =>
  cell !== null && cell !== undefined && cell !== '';

function someTexts(cells: readonly (string | null)[], most: number, random: RandomStream): string[] {
  const texts = cells.filter(isText);
  const drawn = Array.from(sampleRows(texts.length, most, random), (at) => texts[at]!);
  let left = MOST_CHARACTERS;
  return drawn.filter((text) => {
    left -= text.length;
    return left >= 0;
  });
}
