/** A column is numeric where at least this share of its cells that are not missing are numbers. */
const NUMERIC_SHARE = 0.9;

/** `present`: cells that are not missing. */
export const isNumeric = (numbers: { count: number } | null, present: number): boolean =>
  numbers !== null && numbers.count >= NUMERIC_SHARE * present;
