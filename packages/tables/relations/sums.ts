/** Finds columns that are the sum of others, within rounding. */
import { areClear, MIN_DISTINCT, MIN_ROWS, MIN_STEPS, rowsAt, type SampledColumn } from './sampledColumn.ts';

/** Parts must be adjacent, except pairs. */
const MAX_PARTS = 20;
const MIN_NONZERO = 5;
const MIN_HELD = 0.9;

export const mayBePart = ({ numbers }: SampledColumn): boolean =>
  numbers !== null && numbers.values.reduce((count, value) => count + (value ? 1 : 0), 0) >= MIN_NONZERO;

export interface FoundSum<T> {
  parts: T[];
  broken: number[];
}

/** Returns the parts of `total` with the fewest exceptions; undefined above `most`. */
export function findSum<T extends SampledColumn>(total: T, parts: readonly T[], most = 0): FoundSum<T> | undefined {
  const { numbers, levels } = total;
  if (!numbers || levels.length < MIN_DISTINCT || parts.length < 2) return undefined;
  // A few rows with large totals exclude most candidates.
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

/** Pairs, then runs of adjacent columns, that fit. */
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

  /** Whether the sum then matches in two thirds of the rows. */
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

function largeTotals(values: Float64Array): number[] {
  const at = rowsAt(values);
  return at ? [0.5, 0.65, 0.8, 0.9, 0.97, 1].map(at) : [];
}

const valueIn = ({ numbers }: SampledColumn, row: number): number => numbers?.values[row] ?? Number.NaN;

const roundingOf = (columns: readonly SampledColumn[]): number =>
  columns.reduce((sum, { numbers }) => sum + (numbers?.rounding ?? 0), 0);

const sumIn = (parts: readonly SampledColumn[], row: number): number =>
  parts.reduce((before, part) => before + valueIn(part, row), 0);

/** Returns the exceptions; undefined above `most`, if missing cells disagree, or if a part has no effect. */
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

function hasSay({ numbers }: SampledColumn, broken: readonly number[]): boolean {
  if (broken.length === 0 || !numbers) return true;
  const nonzero = numbers.values.reduce((count, value) => count + (value ? 1 : 0), 0);
  const lost = broken.reduce((count, row) => count + (numbers.values[row] ? 1 : 0), 0);
  return nonzero - lost >= MIN_HELD * nonzero;
}
