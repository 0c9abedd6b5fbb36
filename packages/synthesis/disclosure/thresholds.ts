/** How many rows or owners must share something before it is released: every k of the product. */
import type { RandomStream } from '../../numerics/random/stream.ts';

// Levels of few rows: whoever knows one of them would recognise it.

/** k is drawn from MIN_RELEASED_ROWS … MIN_RELEASED_ROWS + SPREAD - 1, so that the rule itself does not reveal a count. */
export const MIN_RELEASED_ROWS = 5;
const SPREAD = 3;
/** Rows from which a level is sure to be released, whatever k is drawn. */
export const SURE_ROWS = MIN_RELEASED_ROWS + SPREAD;

/** The number of rows from which a level of a column may be released. */
export const drawThreshold = (random: RandomStream): number => MIN_RELEASED_ROWS + random.integer(SPREAD);

/** Which classes may be released, by their rows; class 0, a missing cell, always may. */
export const releasable = (counts: Int32Array, threshold: number): boolean[] =>
  Array.from(counts, (count, one) => one === 0 || count >= threshold);

/** From this many rows on, or owners of several, a text belongs to nobody in particular ("Thank you!"). */
export const COMMON_ROWS = 5;
