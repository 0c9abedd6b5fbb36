/** Numbers that are the sum of other columns' numbers: a total behind, or before, its parts. */
import type { SampledColumn } from './sampledColumn.ts';

/** Parts that stand side by side, at most; two parts may stand anywhere. */
const MOST_PARTS = 20;
/** Rows below which a sum is chance, and in which each part has to be other than zero. */
const LEAST_ROWS = 20;
const LEAST_NONZERO = 5;
const LEAST_DISTINCT = 10;
/** The range of a total, in steps of what rounding allows, below which rounding hides too much. */
const LEAST_STEPS = 40;

/** Whether a column may be a part of a sum: a number in enough rows that is not zero. */
export const mayBePart = ({ numbers }: SampledColumn): boolean =>
  numbers !== null && numbers.values.reduce((count, value) => count + (value ? 1 : 0), 0) >= LEAST_NONZERO;

/** Those of the parts whose numbers add up to `total` in every row, in the order given; undefined where there are none. */
export function findSum<T extends SampledColumn>(total: T, parts: readonly T[]): T[] | undefined {
  const { numbers, levels } = total;
  if (!numbers || levels.length < LEAST_DISTINCT || parts.length < 2) return undefined;
  // The row of the largest total rules nearly all candidates out.
  return firstPair(total, parts, numbers.high) ?? firstRun(total, parts, numbers.high);
}

function firstPair<T extends SampledColumn>(total: T, parts: readonly T[], row: number): T[] | undefined {
  for (let i = 0; i < parts.length; i++) {
    for (let j = i + 1; j < parts.length; j++) {
      const pair = [parts[i]!, parts[j]!];
      if (fitsIn(total, pair, row) && isSum(total, pair)) return pair;
    }
  }
  return undefined;
}

function firstRun<T extends SampledColumn>(total: T, parts: readonly T[], row: number): T[] | undefined {
  for (let i = 0; i < parts.length; i++) {
    for (let end = i + 3; end <= Math.min(parts.length, i + MOST_PARTS); end++) {
      const run = parts.slice(i, end);
      if (fitsIn(total, run, row) && isSum(total, run)) return run;
    }
  }
  return undefined;
}

const valueIn = ({ numbers }: SampledColumn, row: number): number => numbers?.values[row] ?? Number.NaN;

const roundingOf = (columns: readonly SampledColumn[]): number =>
  columns.reduce((sum, { numbers }) => sum + (numbers?.rounding ?? 0), 0);

function fitsIn(total: SampledColumn, parts: readonly SampledColumn[], row: number): boolean {
  let sum = 0;
  let allowed = total.numbers?.rounding ?? 0;
  for (const part of parts) {
    sum += valueIn(part, row);
    allowed += part.numbers?.rounding ?? 0;
  }
  return Math.abs(valueIn(total, row) - sum) <= allowed;
}

/** In every row: the sum, within rounding; and missing exactly where a part is missing. */
export function isSum(total: SampledColumn, parts: readonly SampledColumn[]): boolean {
  const { numbers } = total;
  if (!numbers) return false;
  const allowed = roundingOf([total, ...parts]);
  if (numbers.values[numbers.high]! - numbers.values[numbers.low]! < LEAST_STEPS * allowed) return false;
  let rows = 0;
  for (let row = 0; row < numbers.values.length; row++) {
    const value = numbers.values[row]!;
    const sum = parts.reduce((before, part) => before + valueIn(part, row), 0);
    if (Number.isNaN(value) !== Number.isNaN(sum) || Math.abs(value - sum) > allowed) return false;
    if (!Number.isNaN(value)) rows++;
  }
  return rows >= LEAST_ROWS;
}
