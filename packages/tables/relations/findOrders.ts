/** Finds pairs of columns such as pick-up and drop-off. */
import type { CellFormat } from '../../contract/columns.ts';
import { MAX_OF_CHANCE, mostBroken, type Numbers, type SampledColumn } from './sampledColumn.ts';

export interface FoundOrder<T> {
  /** Never above `column`. */
  of: T;
  column: T;
  /** Nor equal to it. */
  strict: boolean;
  broken: number;
}

const MIN_ROWS = 20;
const MIN_DISTINCT = 3;
/** Minimum share of random pairs that break the order, and minimum expected breaks. */
const MIN_BREAKING = 0.01;
const MIN_BREAKS = 10;
/** Minimum rows near the bound per row beyond it; a gradual transition is no rule. */
const MIN_BESIDE = 5;
const MAX_ORDERS = 400;

export type Ordered = SampledColumn & { format: CellFormat | null };
type OrderedNumbers = Ordered & { numbers: Numbers };

/**
 * Finds ordered pairs of columns with equal units and few exceptions, if chance would break the order. Omits implied
 * orders.
 * @param follows Pairs that another relation explains.
 */
export function findOrders<T extends Ordered>(
  columns: readonly T[],
  follows: (of: T, column: T) => boolean,
): FoundOrder<T>[] {
  const numeric = columns.filter(mayBeOrdered);
  // Corrects for multiple comparisons.
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

function isAlike(a: CellFormat | null, b: CellFormat | null): boolean {
  if (a?.kind === 'time' || b?.kind === 'time') return a?.kind === 'time' && b?.kind === 'time' && a.unit === b.unit;
  const decoration = (format: CellFormat | null): string =>
    format?.kind === 'decorated' ? `${format.prefix.trim()} ${format.suffix.trim()}` : ' ';
  return decoration(a) === decoration(b);
}

interface Held {
  rows: number;
  strict: boolean;
  broken: number;
}

/** Undefined if there are too many exceptions, a gradual transition, only equal numbers, or too few rows. */
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

/** Whether rows just inside the bound far outnumber those beyond it. */
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

/** Both must be sorted. */
function shareAbove(low: Float64Array, high: Float64Array): number {
  let pairs = 0;
  let below = 0;
  for (const value of low) {
    while (below < high.length && high[below]! < value) below++;
    pairs += below;
  }
  return pairs / (low.length * high.length);
}

/** Transitive, if the middle column is present whenever both others are. */
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
