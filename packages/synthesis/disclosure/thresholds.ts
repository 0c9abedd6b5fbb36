/** Minimum rows or owners that must share something before it is released. */
import type { RandomStream } from '../../numerics/random/stream.ts';

// Whoever knows a rare level would recognise it.

/** k varies up to MIN_RELEASED_ROWS + SPREAD - 1, so that the rule reveals no count. */
export const MIN_RELEASED_ROWS = 5;
const SPREAD = 3;
/** Enough rows under any k. */
export const SURE_ROWS = MIN_RELEASED_ROWS + SPREAD;

export const drawThreshold = (random: RandomStream): number => MIN_RELEASED_ROWS + random.integer(SPREAD);

/** Class 0 (missing) is always released. */
export const releasable = (counts: Int32Array, threshold: number): boolean[] =>
  Array.from(counts, (count, one) => one === 0 || count >= threshold);

/** Rows or owners that make a text or run common ("Thank you!"). */
export const COMMON_ROWS = 5;
