/** Columns of which one is never below the other: picked up before dropped off, the lowest before the highest. */
import type { CellFormat } from '../../contract/columns.ts';
import { MAX_OF_CHANCE, mostBroken, type Numbers, type SampledColumn } from './sampledColumn.ts';

export interface FoundOrder<T> {
  /** Never above `column`. */
  of: T;
  column: T;
  /** Never equal to it either. */
  strict: boolean;
  /** Rows in which it is above all the same. */
  broken: number;
}

/** Rows with both numbers, distinct numbers of each, below which an order is chance. */
const MIN_ROWS = 20;
const MIN_DISTINCT = 3;
/** Share of random pairings that would break the order, and breaks that chance alone would give, at least. */
const MIN_BREAKING = 0.01;
const MIN_BREAKS = 10;
/** Rows on the right side, and no further from it than the median of the few on the wrong one, for each of those: what shades off is no rule. */
const MIN_BESIDE = 5;
/** Orders looked for at once, at most. */
const MAX_ORDERS = 400;

export type Ordered = SampledColumn & { format: CellFormat | null };
type OrderedNumbers = Ordered & { numbers: Numbers };

/**
 * Pairs of columns of one kind of number (times of one unit, the same currency) that stand in one order in all rows with both,
 * or in all but a few, although their ranges overlap so much that columns without an order would break it; without those that
 * follow from two others. `follows`: pairs that another relation explains.
 */
export function findOrders<T extends Ordered>(
  columns: readonly T[],
  follows: (of: T, column: T) => boolean,
): FoundOrder<T>[] {
  const numeric = columns.filter(mayBeOrdered);
  // The more pairs are asked, the more of them would pass by chance.
  const leastBreaks = MIN_BREAKS + Math.log(Math.max(1, numeric.length ** 2));
  const sorted = numeric.map(({ numbers }) => numbers.values.filter((value) => !Number.isNaN(value)).sort());
  const found: FoundOrder<T>[] = [];
  numeric.forEach((of, i) => {
    numeric.forEach((column, j) => {
      if (i === j || found.length >= MAX_ORDERS || !isAlike(of.format, column.format) || follows(of, column)) return;
      const held = orderIn(of.numbers.values, column.numbers.values);
      if (!held) return;
      const breaking = shareAbove(sorted[i]!, sorted[j]!);
      if (breaking < MIN_BREAKING || breaking * held.rows < leastBreaks) return;
      if (held.broken > MAX_OF_CHANCE * breaking * held.rows) return;
      found.push({ of, column, strict: held.strict, broken: held.broken });
    });
  });
  return found.filter((order) => !followsFrom(order, found));
}

function mayBeOrdered<T extends Ordered>(column: T): column is T & OrderedNumbers {
  return column.numbers !== null && column.levels.length >= MIN_DISTINCT;
}

/** Times are compared with times of their unit, decorated numbers with those of the same decoration. */
function isAlike(a: CellFormat | null, b: CellFormat | null): boolean {
  if (a?.kind === 'time' || b?.kind === 'time') return a?.kind === 'time' && b?.kind === 'time' && a.unit === b.unit;
  const decoration = (format: CellFormat | null): string =>
    format?.kind === 'decorated' ? `${format.prefix.trim()} ${format.suffix.trim()}` : ' ';
  return decoration(a) === decoration(b);
}

interface Held {
  /** Rows with both numbers. */
  rows: number;
  /** None of them are equal. */
  strict: boolean;
  /** Rows that break the order. */
  broken: number;
}

/**
 * How an order holds in all rows but a few; undefined where more break it, the others come ever nearer to breaking it, all
 * are equal, or there are too few.
 */
export function orderIn(low: Float64Array, high: Float64Array): Held | undefined {
  const most = mostBroken(low.length);
  const beyond: number[] = [];
  let rows = 0;
  let equal = 0;
  for (let row = 0; row < low.length; row++) {
    const [a, b] = [low[row]!, high[row]!];
    if (a > b && beyond.push(a - b) > most) return undefined;
    if (Number.isNaN(a) || Number.isNaN(b)) continue;
    rows++;
    if (a === b) equal++;
  }
  const broken = beyond.length;
  if (rows < MIN_ROWS || equal === rows || broken > mostBroken(rows)) return undefined;
  return isRule(low, high, beyond) ? { rows, strict: equal === 0, broken } : undefined;
}

/** Whether far more rows lie beside the bound than beyond it; by the median distance of those. */
function isRule(low: Float64Array, high: Float64Array, beyond: number[]): boolean {
  if (beyond.length === 0) return true;
  const median = beyond.sort((a, b) => a - b)[beyond.length >> 1]!;
  const wanted = MIN_BESIDE * beyond.length;
  let beside = 0;
  for (let row = 0; row < low.length && beside < wanted; row++) {
    const distance = high[row]! - low[row]!;
    if (distance >= 0 && distance <= median) beside++;
  }
  return beside >= wanted;
}

/** The share of pairs, one number of each, in which that of `low` is above that of `high`. Both ascend. */
function shareAbove(low: Float64Array, high: Float64Array): number {
  let pairs = 0;
  let below = 0;
  for (const value of low) {
    while (below < high.length && high[below]! < value) below++;
    pairs += below;
  }
  return pairs / (low.length * high.length);
}

/** a ≤ c is said by a ≤ b and b ≤ c, where b is there whenever both others are. */
function followsFrom<T extends Ordered>({ of, column, strict }: FoundOrder<T>, all: readonly FoundOrder<T>[]): boolean {
  return all.some(
    (first) =>
      first.of === of &&
      first.column !== column &&
      all.some(
        (second) =>
          second.of === first.column &&
          second.column === column &&
          (!strict || first.strict || second.strict) &&
          isThere(first.column, of, column),
      ),
  );
}

const isThere = (between: SampledColumn, of: SampledColumn, column: SampledColumn): boolean =>
  between.codes.every((code, row) => code >= 0 || of.codes[row]! < 0 || column.codes[row]! < 0);
