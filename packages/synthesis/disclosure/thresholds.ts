/** How many rows or owners must share something before it is released: every k of the product. */
import type { RandomStream } from '../../numerics/random/stream.ts';

// Rare levels are not released, since whoever knows one would recognise it.

/** k is random, from MIN_RELEASED_ROWS to MIN_RELEASED_ROWS + SPREAD - 1, so that the rule does not reveal a count. */
export const MIN_RELEASED_ROWS = 5;
const SPREAD = 3;
/** Rows that release a level under any k. */
export const SURE_ROWS = MIN_RELEASED_ROWS + SPREAD;

export const drawThreshold = (random: RandomStream): number => MIN_RELEASED_ROWS + random.integer(SPREAD);

/** Class 0, a missing cell, is always released. */
export const releasable = (counts: Int32Array, threshold: number): boolean[] =>
  Array.from(counts, (count, one) => one === 0 || count >= threshold);

/** Rows, or owners of several rows, that must share a text or a run of it: then it belongs to nobody in particular ("Thank you!"). */
export const COMMON_ROWS = 5;
