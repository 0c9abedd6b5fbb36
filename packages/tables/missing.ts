const MISSING_TOKENS: ReadonlySet<string> = new Set(['', 'NA', 'N/A', 'n/a', 'NaN', 'nan', 'null', 'NULL']);

const LONGEST_TOKEN = 4;
const LAST_SPACE = 0x20;

export function isMissing(text: string): boolean {
  if (text.length === 0) return true;
  const padded = text.charCodeAt(0) <= LAST_SPACE || text.charCodeAt(text.length - 1) <= LAST_SPACE;
  if (!padded) return text.length <= LONGEST_TOKEN && MISSING_TOKENS.has(text);
  return MISSING_TOKENS.has(text.trim());
}

// Missing only among numbers or times.

const MARKS = new Set([
  ...'- -- --- – — . .. ... ? ?? #N/A #NA #NULL! #VALUE! #DIV/0! #REF! <na>'.split(' '),
  ...'none nil nul unknown missing n.a. na n.d. nd tba tbd not_available'.split(' '),
  'not available',
  'not known',
]);
const LONGEST_MARK = 13;
const FIRST = new Uint8Array(2 ** 16);
for (const mark of [' ', '\t', ...MARKS]) {
  FIRST[mark.charCodeAt(0)] = 1;
  FIRST[mark.toUpperCase().charCodeAt(0)] = 1;
}

/** Ignores case and surrounding white space. */
export function isMissingMark(text: string): boolean {
  if (text.length > LONGEST_MARK || FIRST[text.charCodeAt(0)] !== 1) return false;
  return MARKS.has(text.trim().toLowerCase()) || MARKS.has(text.trim());
}

/** -9, -99, 99, 999; also eights and sevens. */
const NINES = /^-?(9{2,8}|8{3,8}|7{3,8})(\.0+)?$/;
const FAR = 4;
const MIN_COUNT = 2;

/** A text, its first row (from 1) and its count. */
export interface Sighting {
  text: string;
  row: number;
  count: number;
}

interface CountedNumber extends Sighting {
  value: number;
}

/**
 * Finds repeated nines, eights or sevens that are the only negative numbers or far beyond all others.
 * @param extremes Range without the given numbers.
 */
export function numericSentinels(
  frequent: readonly CountedNumber[],
  extremes: (without: readonly number[]) => { min: number; max: number },
): CountedNumber[] {
  const doubtful = frequent.filter(({ value, count }) => count >= MIN_COUNT && NINES.test(String(value)));
  if (doubtful.length === 0) return [];
  const { min, max } = extremes(doubtful.map(({ value }) => value));
  if (min > max) return [];
  const farthest = Math.max(Math.abs(min), Math.abs(max));
  return doubtful.filter(({ value }) => {
    if (value < 0 && min >= 0) return -value >= MIN_NEGATIVE;
    return Math.abs(value) >= FAR * farthest && Math.abs(value) >= MIN_POSITIVE && isOnItsOwn(value, min, max);
  });
}

/** Smaller ones may be temperatures or ages. */
const MIN_NEGATIVE = 99;
const MIN_POSITIVE = 999;

const isOnItsOwn = (value: number, min: number, max: number): boolean => value < min || value > max;
