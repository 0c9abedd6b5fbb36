/** Real against synthetic, column by column: the two distributions on common bins or levels. */
import type { ColumnReport } from './roles.ts';

export type Comparison =
  | { kind: 'bars'; name: string; real: number[]; synthetic: number[]; range: Range; isTime: boolean }
  | { kind: 'levels'; name: string; levels: { level: string; real: number; synthetic: number }[] };

const BINS = 24;
const MAX_LEVELS = 8;
const QUARTERS = [0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1];

/**
 * The column's picture of POST /upload, or the real cells where they are at hand, against the synthetic cells.
 * Undefined where nothing can be compared: free text, identifiers, and times of a form that a browser cannot read.
 */
export function compareColumn(
  column: ColumnReport,
  synthetic: readonly string[],
  real: readonly string[] | undefined,
): Comparison | undefined {
  const { picture, format, name } = column;
  if (picture?.kind === 'levels') return compareLevels(name, picture, synthetic);
  if (picture?.kind !== 'quantiles' || !format) return undefined;
  const made = synthetic.map((cell) => numberOf(cell, format));
  const values = real?.map((cell) => numberOf(cell, format)).filter(Number.isFinite) ?? [];
  const scale = scaleOf(format);
  if (!made.some(Number.isFinite) || (values.length === 0 && scale === undefined)) return undefined;
  const isTime = format.kind === 'time';
  const from =
    values.length > 0
      ? { probabilities: QUARTERS, values: quantilesOf(values, QUARTERS) }
      : { probabilities: picture.probabilities, values: picture.values.map((value) => value * (scale ?? 1)) };
  const range = middleRange(from.probabilities, from.values);
  const shares =
    values.length > 0
      ? sharesOfValues(values, range, BINS)
      : sharesOfQuantiles(from.probabilities, from.values, range, BINS);
  return { kind: 'bars', name, range, isTime, real: shares, synthetic: sharesOfValues(made, range, BINS) };
}

function compareLevels(
  name: string,
  { levels, others }: { levels: [string, number][]; others: number },
  synthetic: readonly string[],
): Comparison {
  const all = levels.reduce((sum, [, count]) => sum + count, others) || 1;
  const counts = new Map<string, number>();
  let made = 0;
  for (const cell of synthetic) {
    if (cell === '') continue;
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    made++;
  }
  const named = levels.slice(0, MAX_LEVELS).map(([level, count]) => ({
    level,
    real: count / all,
    synthetic: (counts.get(level) ?? 0) / (made || 1),
  }));
  const rest = named.reduce(
    (left, { real, synthetic: share }) => ({ real: left.real - real, synthetic: left.synthetic - share }),
    {
      real: 1,
      synthetic: 1,
    },
  );
  const other = { level: 'all others', real: Math.max(0, rest.real), synthetic: Math.max(0, rest.synthetic) };
  return { kind: 'levels', name, levels: other.real + other.synthetic > 1e-9 ? [...named, other] : named };
}

// Cells of CSV text as numbers, in the format that the service found the column to have.

type CellFormat = NonNullable<ColumnReport['format']>;

const MS: Record<string, number> = { day: 86_400_000, minute: 60_000, second: 1000, millisecond: 1 };

/** The number of a cell; NaN for a missing cell and for what is none. Times as milliseconds since 1970. */
export function numberOf(cell: string, format: CellFormat): number {
  if (cell.trim() === '') return Number.NaN;
  if (format.kind === 'plain') return Number(cell);
  if (format.kind === 'time') return Date.parse(cell);
  const bare = cell
    .replace(format.prefix, '')
    .replace(format.suffix, '')
    .replaceAll(format.thousands === '' ? '\u0000' : format.thousands, '')
    .replace(format.decimal, '.')
    .replace('−', '-')
    .replaceAll(' ', '');
  const enclosed = /^\(([^)]*)\)$/.exec(bare)?.[1];
  const trailing = /^([\d.]+)-$/.exec(bare)?.[1];
  const negative = enclosed ?? trailing;
  return negative === undefined ? Number(bare) : -Number(negative);
}

/** Numbers of the profile as `numberOf` gives them; undefined where a unit has no fixed length. */
function scaleOf(format: CellFormat): number | undefined {
  return format.kind === 'time' ? MS[format.unit] : 1;
}

// Shares of a distribution in equal bins, from quantiles or from values, for pictures that compare two of them.

interface Range {
  low: number;
  high: number;
}

/** Bin of a value; everything outside the range falls into the outermost bins. */
function binOf(value: number, { low, high }: Range, bins: number): number {
  if (high <= low) return 0;
  return Math.min(bins - 1, Math.max(0, Math.floor(((value - low) / (high - low)) * bins)));
}

/** Shares (sum 1) of values that are finite; all 0 where none is. */
export function sharesOfValues(values: readonly number[], range: Range, bins: number): number[] {
  const shares = new Array<number>(bins).fill(0);
  const finite = values.filter(Number.isFinite);
  for (const value of finite) shares[binOf(value, range, bins)]! += 1 / finite.length;
  return shares;
}

/** The value below which a share `at` lies, by straight lines between the quantiles. */
export function quantileAt(probabilities: readonly number[], values: readonly number[], at: number): number {
  const above = probabilities.findIndex((p) => p >= at);
  if (above < 0) return values.at(-1) ?? 0;
  if (above === 0) return values[0] ?? 0;
  const [p0, p1] = [probabilities[above - 1]!, probabilities[above]!];
  const [q0, q1] = [values[above - 1]!, values[above]!];
  return p1 > p0 ? q0 + ((at - p0) / (p1 - p0)) * (q1 - q0) : q1;
}

/** Shares of a distribution known by quantiles: each piece between two of them is spread evenly; a point mass stays in its bin. */
export function sharesOfQuantiles(
  probabilities: readonly number[],
  values: readonly number[],
  range: Range,
  bins: number,
): number[] {
  const shares = new Array<number>(bins).fill(0);
  for (let i = 1; i < probabilities.length; i++) {
    const mass = probabilities[i]! - probabilities[i - 1]!;
    spread(shares, mass, values[i - 1]!, values[i]!, range);
  }
  return shares;
}

function spread(shares: number[], mass: number, from: number, to: number, range: Range): void {
  const bins = shares.length;
  const [first, last] = [binOf(from, range, bins), binOf(to, range, bins)];
  if (to <= from || first === last) {
    shares[first]! += mass;
    return;
  }
  const width = (range.high - range.low) / bins;
  for (let bin = first; bin <= last; bin++) {
    const left = bin === first ? from : range.low + bin * width;
    const right = bin === last ? to : range.low + (bin + 1) * width;
    shares[bin]! += (mass * (right - left)) / (to - from);
  }
}

/** From the 1 % to the 99 % quantile, so that one far value does not press all others into one bar; whole where that is a point. */
export function middleRange(probabilities: readonly number[], values: readonly number[]): Range {
  const low = quantileAt(probabilities, values, 0.01);
  const high = quantileAt(probabilities, values, 0.99);
  return high > low ? { low, high } : { low: values[0] ?? 0, high: values.at(-1) ?? 0 };
}

/** Quantiles of values at these probabilities; empty where no value is finite. */
export function quantilesOf(values: readonly number[], probabilities: readonly number[]): number[] {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return [];
  return probabilities.map((p) => {
    const place = p * (sorted.length - 1);
    const below = Math.floor(place);
    const next = sorted[Math.min(sorted.length - 1, below + 1)]!;
    return sorted[below]! + (place - below) * (next - sorted[below]!);
  });
}
