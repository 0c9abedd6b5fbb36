/** Counts of real rows below which nothing is shown, so that no drawing is of single rows. */

export const LEAST_ROWS = 5;

/** Real rows that a level must have to be named where no synthetic row has it. */
export const LEAST_LEVEL_ROWS = 20;

const DIGITS = 1e4;

/** Counts as shares of `of`, to four digits; those of fewer than `least` as 0. */
export const sharesOf = (counts: ArrayLike<number>, of: number, least: number): number[] =>
  Array.from(counts, (count) => (of === 0 || count < least ? 0 : Math.round((count / of) * DIGITS) / DIGITS));
