/** What the values of one column say of another's: functions, sums and labels, found in a sample and asked again of all rows. */
import { type CellFormat, FORMS, type FunctionForm, type Relation } from '../../contract/columns.ts';
import { parseCell } from '../format/cellFormat.ts';
import { type CellColumn, cellAt } from '../table.ts';

export interface FoundFunction {
  form: FunctionForm;
  slope: number;
  intercept: number;
}

/** Rows and distinct numbers below which a curve goes through anything, and a sum is chance. */
const MIN_ROWS = 20;
const MIN_DISTINCT = 10;
/** The range of the numbers, or of a total, in steps of their rounding, below which rounding hides too much. */
const MIN_STEPS = 40;
/** How near a number has to be to one of 3, 4, 5 or 6 digits to be meant as that. */
const PLAIN = [1e-5, 1e-6, 1e-6, 1e-7] as const;

/** The function of `x` that gives `y` in every row; undefined where there is none. */
export function findFunction(x: SampledColumn, y: SampledColumn): FoundFunction | undefined {
  const [from, to] = [x.numbers, y.numbers];
  if (!from || !to || x.levels.length < MIN_DISTINCT || y.levels.length < MIN_DISTINCT) return undefined;
  if (to.values[to.high]! - to.values[to.low]! < MIN_STEPS * to.rounding) return undefined;
  return candidates(from, to.values).find((found) => holds(found, from.values, to.values, to.rounding));
}

/** Lines first: through the origin, then any. */
function candidates(x: Numbers, y: Float64Array): FoundFunction[] {
  const curves = FORMS.filter((form) => form !== 'linear').map((form) => ({ form, slope: 1, intercept: 0 }));
  const { low, high } = x;
  const far = Math.abs(x.values[low]!) > Math.abs(x.values[high]!) ? low : high;
  const slope = plain((y[high]! - y[low]!) / (x.values[high]! - x.values[low]!));
  const lines = [
    { slope: plain(y[far]! / x.values[far]!), intercept: 0 },
    { slope, intercept: plain(y[low]! - slope * x.values[low]!) },
  ];
  const finite = lines.filter((line) => Number.isFinite(line.slope) && line.slope !== 0);
  return [...finite.map((line) => ({ form: 'linear' as const, ...line })), ...curves];
}

/** Without the last digits, in which doubles and rounding differ from what was meant: 2.5400000001 is 2.54. */
function plain(value: number): number {
  for (const digits of [3, 4, 5, 6]) {
    const short = Number(value.toPrecision(digits));
    if (Math.abs(short - value) <= PLAIN[digits - 3]! * Math.abs(value)) return short;
  }
  return value;
}

/** True in every row, within rounding: twice that for a line, of which both ends are rounded. */
function holds(found: FoundFunction, x: Float64Array, y: Float64Array, rounding: number): boolean {
  const curve = FORM_VALUES[found.form];
  const allowed = found.form === 'linear' ? 2 * rounding : rounding;
  let rows = 0;
  for (let row = 0; row < x.length; row++) {
    const expected = found.slope * curve(x[row]!) + found.intercept;
    const isThere = !Number.isNaN(y[row]!);
    if (isThere !== Number.isFinite(expected)) return false;
    if (!isThere) continue;
    if (Math.abs(expected - y[row]!) > allowed) return false;
    rows++;
  }
  return rows >= MIN_ROWS;
}

/** What each form makes of a number; not finite where it has no value. */
export const FORM_VALUES: Readonly<Record<FunctionForm, (x: number) => number>> = {
  linear: (x) => x,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  'ln(1+x)': Math.log1p,
  exp: Math.exp,
  sqrt: Math.sqrt,
  square: (x) => x * x,
  reciprocal: (x) => 1 / x,
};

// Texts that another column's texts decide: a place and its region, a level and its number.

/** Rows that would have to disagree if the columns had nothing to do with each other, at least. */
const MIN_EVIDENCE = 20;
const MAX_LEVELS = 1000;
/** A share of distinct texts above which nearly everything decides everything. */
const MAX_DISTINCT_SHARE = 0.2;

/** True where each text of `of` (and its missing cells) stands beside one text of `column` only, and chance cannot explain it. */
export function areLabels(of: SampledColumn, column: SampledColumn): boolean {
  const rows = of.codes.length;
  const kinds = of.levels.length + (of.missing > 0 ? 1 : 0);
  if (kinds < 2 || kinds > MAX_LEVELS || kinds > MAX_DISTINCT_SHARE * rows || column.levels.length < 2) return false;
  return decides(of.codes, column.codes, of.levels.length) && (rows - kinds) * differing(column) >= MIN_EVIDENCE;
}

/** The chance that two cells differ. */
function differing({ codes, counts, missing }: SampledColumn): number {
  const shares = [...counts, missing].map((count) => count / codes.length);
  return 1 - shares.reduce((sum, share) => sum + share * share, 0);
}

function decides(from: Int32Array, to: Int32Array, levels: number): boolean {
  const UNKNOWN = -2;
  const beside = new Int32Array(levels + 1).fill(UNKNOWN);
  for (let row = 0; row < from.length; row++) {
    const place = from[row]! + 1;
    if (beside[place] === UNKNOWN) beside[place] = to[row]!;
    else if (beside[place] !== to[row]) return false;
  }
  return true;
}

// A relation of the row sample, asked again of all rows.

/** Relations by which the cells of one column can be made from those of another. */
export type ValueRelation = Extract<Relation, { kind: 'copy' | 'function' | 'labels' }>;

export type SumRelation = Extract<Relation, { kind: 'sum' }>;

interface WholeColumn {
  cells: CellColumn;
  format: CellFormat | null;
  /** Texts that stand for a missing cell in this column alone. */
  tokens?: readonly string[];
}

export const isValueRelation = (relation: Relation): relation is ValueRelation =>
  relation.kind === 'copy' || relation.kind === 'function' || relation.kind === 'labels';

/** The relation as it holds in every row of the table; undefined where it does not. */
export function confirmRelation(
  relation: ValueRelation,
  of: WholeColumn,
  column: WholeColumn,
): ValueRelation | undefined {
  const rows = column.cells.codes.length;
  if (relation.kind === 'copy') return isCopy(of.cells, column.cells) ? { ...relation, rows } : undefined;
  const [from, to] = [looked(of), looked(column)];
  if (relation.kind === 'labels') return areLabels(from, to) ? { ...relation, rows } : undefined;
  const found = findFunction(from, to);
  return found?.form === relation.form ? { ...relation, ...found, rows } : undefined;
}

/** True where the parts add up to the total in every row of the table, and it is missing exactly where a part is. */
export const confirmSum = (total: WholeColumn, parts: readonly WholeColumn[]): boolean =>
  isSum(looked(total), parts.map(looked));

/** Levels stand in the order of first appearance, so that equal columns have equal codes. */
const isCopy = (of: CellColumn, column: CellColumn): boolean =>
  isSame(of.codes, column.codes) && of.levels.every((level, code) => level === column.levels[code]);

function looked({ cells, format, tokens = [] }: WholeColumn): SampledColumn {
  const texts = Array.from(cells.codes, (_, row) => {
    const text = cellAt(cells, row);
    return text !== null && tokens.includes(text) ? null : text;
  });
  return sampledColumn(cells.name, texts, (text) => (format ? parseCell(text, format) : undefined));
}

/** Parts that stand side by side, at most; two parts may stand anywhere. */
const MAX_PARTS = 20;
/** Rows in which each part of a sum has to be other than zero. */
const MIN_NONZERO = 5;

/** Whether a column may be a part of a sum: a number in enough rows that is not zero. */
export const mayBePart = ({ numbers }: SampledColumn): boolean =>
  numbers !== null && numbers.values.reduce((count, value) => count + (value ? 1 : 0), 0) >= MIN_NONZERO;

/** Those of the parts whose numbers add up to `total` in every row, in the order given; undefined where there are none. */
export function findSum<T extends SampledColumn>(total: T, parts: readonly T[]): T[] | undefined {
  const { numbers, levels } = total;
  if (!numbers || levels.length < MIN_DISTINCT || parts.length < 2) return undefined;
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
    for (let end = i + 3; end <= Math.min(parts.length, i + MAX_PARTS); end++) {
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
function isSum(total: SampledColumn, parts: readonly SampledColumn[]): boolean {
  const { numbers } = total;
  if (!numbers) return false;
  const allowed = roundingOf([total, ...parts]);
  if (numbers.values[numbers.high]! - numbers.values[numbers.low]! < MIN_STEPS * allowed) return false;
  let rows = 0;
  for (let row = 0; row < numbers.values.length; row++) {
    const value = numbers.values[row]!;
    const sum = parts.reduce((before, part) => before + valueIn(part, row), 0);
    if (Number.isNaN(value) !== Number.isNaN(sum) || Math.abs(value - sum) > allowed) return false;
    if (!Number.isNaN(value)) rows++;
  }
  return rows >= MIN_ROWS;
}

// A column of the row sample, in the shape in which relations are looked for.

export interface SampledColumn {
  name: string;
  /** -1 is a missing cell. Codes go up in the order of first appearance. */
  codes: Int32Array;
  levels: string[];
  /** Rows of each level. */
  counts: number[];
  missing: number;
  /** The number of each row; NaN where the cell is missing. Null where some cell is no number. */
  numbers: Numbers | null;
}

export interface Numbers {
  values: Float64Array;
  /** Rows of the smallest and of the largest number. */
  low: number;
  high: number;
  /** Half a unit of the last decimal that is written, and no finer than 32-bit floats are. */
  rounding: number;
}

/** Digits that numbers kept as 32-bit floats have. */
const PRECISION = 1e-6;

/** `parse` reads a cell as a number in the column's own way. */
export function sampledColumn(
  name: string,
  cells: readonly (string | null)[],
  parse: (text: string) => number | undefined,
): SampledColumn {
  const known = new Map<string, number>();
  const counts: number[] = [];
  let missing = 0;
  const codes = Int32Array.from(cells, (cell) => {
    if (cell === null) {
      missing++;
      return -1;
    }
    const code = known.get(cell) ?? known.size;
    known.set(cell, code);
    counts[code] = (counts[code] ?? 0) + 1;
    return code;
  });
  const levels = [...known.keys()];
  const values = levels.map((level) => parse(level) ?? Number.NaN);
  const isNumeric = levels.length > 0 && values.every(Number.isFinite);
  return { name, codes, levels, counts, missing, numbers: isNumeric ? numbersOf(codes, levels, values) : null };
}

function numbersOf(codes: Int32Array, levels: readonly string[], ofLevels: readonly number[]): Numbers {
  const values = Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : ofLevels[code]!));
  let low = -1;
  let high = -1;
  for (let row = 0; row < values.length; row++) {
    if (Number.isNaN(values[row]!)) continue;
    if (low < 0 || values[row]! < values[low]!) low = row;
    if (high < 0 || values[row]! > values[high]!) high = row;
  }
  const decimals = levels.reduce((most, level) => Math.max(most, decimalsOf(level)), 0);
  const largest = Math.max(Math.abs(values[low]!), Math.abs(values[high]!));
  return { values, low, high, rounding: Math.max(0.5001 * 10 ** -decimals, PRECISION * largest) };
}

function decimalsOf(text: string): number {
  const [, digits, exponent] = /[.,](\d+)(?:e([+-]?\d+))?\D*$/i.exec(text) ?? [];
  return digits === undefined ? 0 : Math.max(0, digits.length - Number(exponent ?? 0));
}

export const isSame = (a: Int32Array, b: Int32Array): boolean => a.every((code, row) => code === b[row]);
