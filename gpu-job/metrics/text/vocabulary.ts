/**
 * Vocabulary: the share of words in held-out texts that stand in some other texts too, each word as often as it comes
 * (lexical coverage). Beside the same for as many training texts.
 */
import { type Mean, meanOf } from '../intervals.ts';
import { wordsOf } from './words.ts';

/** Per held-out text that has words, the words that are known and all of them. */
export interface Coverage {
  known: Float64Array;
  words: Float64Array;
}

export function coverageOf(texts: readonly string[], test: readonly string[]): Coverage {
  const vocabulary = new Set(texts.flatMap(wordsOf));
  const counted = test.map(wordsOf).filter((words) => words.length > 0);
  return {
    known: Float64Array.from(counted, (words) => words.filter((word) => vocabulary.has(word)).length),
    words: Float64Array.from(counted, (words) => words.length),
  };
}

/** The share and its standard error over texts; NaN where no text has a word. */
export function shareKnown({ known, words }: Coverage): Mean {
  const total = words.reduce((sum, count) => sum + count, 0);
  const share = known.reduce((sum, count) => sum + count, 0) / total;
  const gaps = known.map((count, at) => (count - share * words[at]!) / (total / words.length));
  return { mean: share, error: meanOf(gaps).error };
}

/** The difference of two shares of the same texts. */
export function coverageGap(a: Coverage, b: Coverage): Mean {
  return shareKnown({ known: a.known.map((count, at) => count - b.known[at]!), words: a.words });
}
