/** Encodes other columns in a small design for comparing families. */
import type { CellFormat, ColumnProfile } from '../../contract/columns.ts';
import { parseCell } from '../../tables/format/cellFormat.ts';
import type { Profile } from '../../tables/profile/profile.ts';

export interface FamilyDesign {
  /** Finite entries, one per row. */
  columns: Float64Array[];
  /** Most explanatory first. */
  predictors: string[];
}

/** Maximum columns considered. */
const MAX_LOOKED_AT = 64;
const MAX_LEVELS = 5;
const MIN_ROWS_OF_LEVEL = 10;
const CELLS = 6;
const KNOTS = [0.25, 0.5, 0.75] as const;
const WINSORISED = 0.01;

type Predictor = { name: string; share: number } & (
  | { kind: 'numeric'; values: Float64Array }
  | { kind: 'category'; codes: Int32Array; levels: number }
);

/**
 * Builds at most `most` columns from numbers, times and categories, whatever their roles. `informative` excludes rows
 * at an atom.
 */
export function familyDesign(
  profile: Profile,
  target: ColumnProfile,
  rows: readonly number[],
  y: Float64Array,
  informative: readonly number[],
  most: number,
): FamilyDesign {
  const ranks = ranksOf(informative.map((i) => y[i]!));
  const found = spread(
    profile.columns.filter((column) => column.name !== target.name && isPredictor(column)),
    MAX_LOOKED_AT,
  ).flatMap((column) => {
    const predictor = predictorOf(profile, column, rows, informative, ranks);
    return predictor ? [predictor] : [];
  });
  found.sort((a, b) => b.share - a.share);
  const columns: Float64Array[] = [];
  const predictors: string[] = [];
  for (const predictor of found) {
    const terms = termsOf(predictor).slice(0, most - columns.length);
    if (terms.length > 0) predictors.push(predictor.name);
    columns.push(...terms);
  }
  return { columns, predictors };
}

const isPredictor = ({ kind, format }: ColumnProfile): boolean =>
  kind === 'continuous' || kind === 'categorical' || (kind === 'datetime' && format?.kind === 'time');

/** Undefined if the column explains nothing or duplicates the target. */
function predictorOf(
  profile: Profile,
  column: ColumnProfile,
  rows: readonly number[],
  informative: readonly number[],
  ranks: Float64Array,
): Predictor | undefined {
  const cells = profile.sample.cells[profile.columns.indexOf(column)] ?? [];
  const { name, format } = column;
  if (column.kind === 'categorical' || !format) {
    const { codes, levels } = codesOf(cells, rows);
    const groups = informative.map((i) => codes[i]!);
    const share = explainedShare(ranks, groups);
    return share > 0 ? { kind: 'category', name, share, codes, levels } : undefined;
  }
  const values = parsedNumbers(cells, rows, format);
  const known = informative.map((i) => values[i]!);
  if (isSameOrder(ranks, known)) return undefined;
  const share = explainedShare(ranks, quantileBins(known));
  return share > 0 ? { kind: 'numeric', name, share, values } : undefined;
}

/** NaN for non-numbers. */
export const parsedNumbers = (
  cells: readonly (string | null)[],
  rows: readonly number[],
  format: CellFormat,
): Float64Array =>
  Float64Array.from(rows, (row) => {
    const cell = cells[row];
    return typeof cell === 'string' ? (parseCell(cell, format) ?? Number.NaN) : Number.NaN;
  });

/** Codes by frequency; `levels` for all others. */
function codesOf(cells: readonly (string | null)[], rows: readonly number[]): { codes: Int32Array; levels: number } {
  const counts = new Map<string | null, number>();
  for (const row of rows) counts.set(cells[row] ?? null, (counts.get(cells[row] ?? null) ?? 0) + 1);
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).filter(([, count]) => count >= MIN_ROWS_OF_LEVEL);
  const places = new Map(frequent.slice(0, MAX_LEVELS).map(([level], place) => [level, place]));
  const codes = Int32Array.from(rows, (row) => places.get(cells[row] ?? null) ?? places.size);
  return { codes, levels: places.size };
}

/** Missing values have their own cell. */
function quantileBins(values: readonly number[]): number[] {
  const sorted = Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort();
  const ends = Array.from({ length: CELLS - 1 }, (_, i) => quantile(sorted, (i + 1) / CELLS));
  return values.map((value) => (Number.isNaN(value) ? CELLS : ends.filter((end) => value > end).length));
}

function termsOf(predictor: Predictor): Float64Array[] {
  if (predictor.kind === 'numeric') return brokenLine(predictor.values);
  // The most frequent level is the reference.
  const { codes, levels } = predictor;
  return Array.from({ length: levels }, (_, k) => Float64Array.from(codes, (code) => (code === k + 1 ? 1 : 0)));
}

/** Winsorised linear spline; missing values get the median and an indicator. */
function brokenLine(values: Float64Array): Float64Array[] {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return [];
  const [low, high] = [quantile(sorted, WINSORISED), quantile(sorted, 1 - WINSORISED)];
  const middle = quantile(sorted, 0.5);
  const drawn = values.map((value) => (Number.isNaN(value) ? middle : Math.min(high, Math.max(low, value))));
  const knots = [...new Set(KNOTS.map((share) => quantile(sorted, share)))].filter((at) => at > low && at < high);
  const missing = sorted.length < values.length ? [values.map((value) => (Number.isNaN(value) ? 1 : 0))] : [];
  return [drawn, ...missing, ...knots.map((knot) => drawn.map((value) => Math.max(0, value - knot)))];
}

const quantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

export function spread<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]!);
}

function ranksOf(values: readonly number[]): Float64Array {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const ranks = new Float64Array(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let k = from; k < to; k++) ranks[order[k]!] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}

/** Adjusted for chance. Ranks ignore scale and outliers. */
function explainedShare(ranks: Float64Array, groups: readonly number[]): number {
  const n = ranks.length;
  const sums = new Map<number, { count: number; sum: number }>();
  let total = 0;
  for (let i = 0; i < n; i++) {
    const group = sums.get(groups[i]!) ?? { count: 0, sum: 0 };
    group.count++;
    group.sum += ranks[i]! - (n + 1) / 2;
    sums.set(groups[i]!, group);
    total += (ranks[i]! - (n + 1) / 2) ** 2;
  }
  if (!(total > 0) || sums.size < 2 || n <= sums.size) return 0;
  let between = 0;
  for (const { count, sum } of sums.values()) between += (sum * sum) / count;
  return Math.max(0, 1 - ((1 - between / total) * (n - 1)) / (n - sums.size));
}

/** Rank correlation of a copy of the target, such as its logarithm. */
const SAME_ORDER = 0.9999;

function isSameOrder(ranks: Float64Array, values: readonly number[]): boolean {
  const known = values.flatMap((value, i) => (Number.isNaN(value) ? [] : [i]));
  if (known.length < 3) return false;
  const a = ranksOf(known.map((i) => ranks[i]!));
  const b = ranksOf(known.map((i) => values[i]!));
  const mean = (known.length + 1) / 2;
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += (a[i]! - mean) * (b[i]! - mean);
    aa += (a[i]! - mean) ** 2;
    bb += (b[i]! - mean) ** 2;
  }
  return aa > 0 && bb > 0 && Math.abs(ab) >= SAME_ORDER * Math.sqrt(aa * bb);
}
