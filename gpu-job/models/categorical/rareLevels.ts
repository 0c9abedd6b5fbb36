/** Levels that too few rows have are not released: whoever knows one of them would recognise it. */
import type { RandomStream } from '../../../numerics/random/stream.ts';

/** k is drawn from LEAST_ROWS … LEAST_ROWS + SPREAD - 1, so that the rule itself does not tell a count. */
const LEAST_ROWS = 5;
const SPREAD = 3;

/** The number of rows from which a level of a column may come out. */
export const drawThreshold = (random: RandomStream): number => LEAST_ROWS + random.integer(SPREAD);

/** Which classes may come out, by their rows; class 0, a missing cell, always may. */
export const releasable = (counts: Int32Array, threshold: number): boolean[] =>
  Array.from(counts, (count, one) => one === 0 || count >= threshold);
