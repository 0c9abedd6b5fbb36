/** Totals: columns whose numbers are the sum of others, within the rounding of each. */
import { areClear, MIN_DISTINCT, MIN_ROWS, MIN_STEPS, rowsAt, type SampledColumn } from './sampledColumn.ts';

/** Parts that stand side by side, at most; two parts may stand anywhere. */
const MAX_PARTS = 20;
/** Rows in which each part of a sum has to be other than zero. */
const MIN_NONZERO = 5;
/** Share of those in which the sum has to hold: else the part says nothing. */
const MIN_HELD = 0.9;

/** Whether a column may be a part of a sum: a number in enough rows that is not zero. */
export const mayBePart = ({ numbers }: SampledColumn): boolean =>
  numbers !== null && numbers.values.reduce((count, value) => count + (value ? 1 : 0), 0) >= MIN_NONZERO;

export interface FoundSum<T> {
  parts: T[];
  /** Rows that do not add up, ascending. */
  broken: number[];
}

/**
 * Those of the parts whose numbers add up to `total` in all but `most` rows, in the order given; undefined where there are none.
 * Where several sets of parts do, the one with the fewest broken rows.
 */
export function findSum<T extends SampledColumn>(total: T, parts: readonly T[], most = 0): FoundSum<T> | undefined {
  const { numbers, levels } = total;
  if (!numbers || levels.length < MIN_DISTINCT || parts.length < 2) return undefined;
  // A few rows of large totals rule nearly all candidates out.
  const rows = most === 0 ? [numbers.high] : largeTotals(numbers.values);
  let best: FoundSum<T> | undefined;
  for (const some of candidates(total, parts, rows)) {
    const broken = brokenSums(total, some, best ? best.broken.length - 1 : most);
    if (!broken) continue;
    best = { parts: [...some], broken };
    if (broken.length === 0) return best;
  }
  return best;
}

/** Pairs, then runs of columns side by side, that add up in all but a third of the rows. */
function* candidates<T extends SampledColumn>(
  total: T,
  parts: readonly T[],
  rows: readonly number[],
): Generator<readonly T[]> {
  const glance = new Glance(total, parts, rows);
  for (let i = 0; i < parts.length; i++) {
    glance.startWith(i);
    for (let j = i + 1; j < parts.length; j++) if (glance.fits(j)) yield [parts[i]!, parts[j]!];
  }
  for (let i = 0; i < parts.length - 2; i++) {
    glance.startWith(i);
    glance.add(i + 1);
    for (let last = i + 2; last < Math.min(parts.length, i + MAX_PARTS); last++) {
      if (glance.fits(last)) yield parts.slice(i, last + 1);
      glance.add(last);
    }
  }
}

/** A few rows of a total and of what may be its parts, some of which are added up. */
class Glance {
  private readonly total: SampledColumn;
  private readonly totals: Float64Array;
  private readonly cells: readonly Float64Array[];
  private readonly rounding: Float64Array;
  private readonly sums: Float64Array;
  private allowed = 0;

  constructor(total: SampledColumn, parts: readonly SampledColumn[], rows: readonly number[]) {
    this.total = total;
    const inRows = (column: SampledColumn) => Float64Array.from(rows, (row) => valueIn(column, row));
    this.totals = inRows(total);
    this.cells = parts.map(inRows);
    this.rounding = Float64Array.from(parts, (part) => roundingOf([part]));
    this.sums = new Float64Array(rows.length);
  }

  startWith(part: number): void {
    this.sums.fill(0);
    this.allowed = roundingOf([this.total]);
    this.add(part);
  }

  add(part: number): void {
    this.allowed += this.rounding[part]!;
    for (let k = 0; k < this.sums.length; k++) this.sums[k]! += this.cells[part]![k]!;
  }

  /** Whether one more part makes the sum the total in all but a third of the rows. */
  fits(part: number): boolean {
    const cells = this.cells[part]!;
    const allowed = this.allowed + this.rounding[part]!;
    let failed = 0;
    for (let k = 0; k < cells.length; k++) {
      const isSum = Math.abs(this.totals[k]! - (this.sums[k]! + cells[k]!)) <= allowed;
      if (!isSum && ++failed > cells.length / 3) return false;
    }
    return true;
  }
}

/** Rows of totals between the median and the largest. */
function largeTotals(values: Float64Array): number[] {
  const at = rowsAt(values);
  return at ? [0.5, 0.65, 0.8, 0.9, 0.97, 1].map(at) : [];
}

const valueIn = ({ numbers }: SampledColumn, row: number): number => numbers?.values[row] ?? Number.NaN;

const roundingOf = (columns: readonly SampledColumn[]): number =>
  columns.reduce((sum, { numbers }) => sum + (numbers?.rounding ?? 0), 0);

const sumIn = (parts: readonly SampledColumn[], row: number): number =>
  parts.reduce((before, part) => before + valueIn(part, row), 0);

/**
 * The rows, at most `most`, in which the total is not the sum within rounding; undefined where there are more, where it is not
 * missing exactly where a part is, or where a part has no say in it.
 */
export function brokenSums(total: SampledColumn, parts: readonly SampledColumn[], most: number): number[] | undefined {
  const { numbers } = total;
  if (!numbers) return undefined;
  const allowed = roundingOf([total, ...parts]);
  if (numbers.values[numbers.high]! - numbers.values[numbers.low]! < MIN_STEPS * allowed) return undefined;
  const broken: number[] = [];
  const offsets: number[] = [];
  let rows = 0;
  for (let row = 0; row < numbers.values.length; row++) {
    const value = numbers.values[row]!;
    const sum = sumIn(parts, row);
    if (Number.isNaN(value) !== Number.isNaN(sum)) return undefined;
    if (Math.abs(value - sum) > allowed) {
      if (broken.push(row) > most) return undefined;
      offsets.push(value - sum);
    }
    if (!Number.isNaN(value)) rows++;
  }
  if (rows < MIN_ROWS || !areClear(offsets, allowed)) return undefined;
  return parts.every((part) => hasSay(part, broken)) ? broken : undefined;
}

/** Whether the sum holds in nearly all rows in which the part is not zero. */
function hasSay({ numbers }: SampledColumn, broken: readonly number[]): boolean {
  if (broken.length === 0 || !numbers) return true;
  const nonzero = numbers.values.reduce((count, value) => count + (value ? 1 : 0), 0);
  const lost = broken.reduce((count, row) => count + (numbers.values[row] ? 1 : 0), 0);
  return nonzero - lost >= MIN_HELD * nonzero;
}
