/** Finds functions and labels between columns in a sample and confirms them. */
import { type CellFormat, FORMS, type FunctionForm, type Relation } from '../../contract/columns.ts';
import { parseCell } from '../format/cellFormat.ts';
import { type CellColumn, cellAt } from '../table.ts';
import {
  areClear,
  type Ends,
  isSame,
  MAX_OF_CHANCE,
  MIN_DISTINCT,
  MIN_ROWS,
  MIN_STEPS,
  mostBroken,
  type Numbers,
  type SampledColumn,
  sampledColumn,
} from './sampledColumn.ts';
import { brokenSums } from './sums.ts';

export interface FoundFunction {
  form: FunctionForm;
  slope: number;
  intercept: number;
}

/** Relative distances at which 3 to 6 digits suffice. */
const PLAIN = [1e-5, 1e-6, 1e-6, 1e-7] as const;

/** @returns the function from `x` to `y` and its at most `most` exceptions. */
export function findFunction(
  x: SampledColumn,
  y: SampledColumn,
  most = 0,
): { found: FoundFunction; broken: number[] } | undefined {
  const [from, to] = [x.numbers, y.numbers];
  if (!from || !to || x.levels.length < MIN_DISTINCT || y.levels.length < MIN_DISTINCT) return undefined;
  if (to.values[to.high]! - to.values[to.low]! < MIN_STEPS * to.rounding) return undefined;
  // An extreme number may be an exception.
  const ends: Ends[] = most === 0 ? [from] : [from, ...from.within];
  const lines = ends.flatMap((pair) => linesThrough(pair, from.values, to.values));
  for (const found of [...lines, ...CURVES]) {
    const broken = brokenRows(found, from.values, to, most);
    if (broken) return { found, broken };
  }
  return undefined;
}

const CURVES: readonly FoundFunction[] = FORMS.filter((form) => form !== 'linear').map((form) => ({
  form,
  slope: 1,
  intercept: 0,
}));

/** Tries a line through the origin first. */
function linesThrough({ low, high }: Ends, x: Float64Array, y: Float64Array): FoundFunction[] {
  const far = Math.abs(x[low]!) > Math.abs(x[high]!) ? low : high;
  const slope = plain((y[high]! - y[low]!) / (x[high]! - x[low]!));
  const lines = [
    { slope: plain(y[far]! / x[far]!), intercept: 0 },
    { slope, intercept: plain(y[low]! - slope * x[low]!) },
  ];
  const finite = lines.filter((line) => Number.isFinite(line.slope) && line.slope !== 0);
  return finite.map((line) => ({ form: 'linear' as const, ...line }));
}

/** 2.5400000001 → 2.54 */
function plain(value: number): number {
  for (const digits of [3, 4, 5, 6]) {
    const short = Number(value.toPrecision(digits));
    if (Math.abs(short - value) <= PLAIN[digits - 3]! * Math.abs(value)) return short;
  }
  return value;
}

/** Returns the exceptions beyond rounding, doubled for lines; undefined above `most` or outside the domain. */
function brokenRows(found: FoundFunction, x: Float64Array, y: Numbers, most: number): number[] | undefined {
  const allowed = allowedBy(found.form, y.rounding);
  const broken: number[] = [];
  const offsets: number[] = [];
  let rows = 0;
  for (let row = 0; row < x.length; row++) {
    const expected = valueBy(found, x[row]!);
    const value = y.values[row]!;
    const isThere = !Number.isNaN(value);
    if (isThere !== Number.isFinite(expected)) return undefined;
    if (!isThere) continue;
    if (Math.abs(expected - value) > allowed) {
      if (broken.push(row) > most) return undefined;
      offsets.push(expected - value);
    }
    rows++;
  }
  return rows >= MIN_ROWS && areClear(offsets, allowed) ? broken : undefined;
}

const allowedBy = (form: FunctionForm, rounding: number): number => (form === 'linear' ? 2 * rounding : rounding);

/** Not finite outside the domain. */
export const valueBy = ({ form, slope, intercept }: FoundFunction, x: number): number =>
  slope * FORM_VALUES[form](x) + intercept;

const FORM_VALUES: Readonly<Record<FunctionForm, (x: number) => number>> = {
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

/** Minimum disagreements expected of independent columns. */
const MIN_EVIDENCE = 20;
const MAX_LEVELS = 1000;
/** Above this, nearly everything determines everything. */
const MAX_DISTINCT_SHARE = 0.2;

/** Returns the exceptions; undefined above `most` or if chance explains so few. */
export function brokenLabels(of: SampledColumn, column: SampledColumn, most = 0): number[] | undefined {
  const rows = of.codes.length;
  const kinds = of.levels.length + (of.missing > 0 ? 1 : 0);
  if (kinds < 2 || kinds > MAX_LEVELS || kinds > MAX_DISTINCT_SHARE * rows || column.levels.length < 2)
    return undefined;
  const frequent = most === 0 ? 0 : column.counts.reduce((a, b) => Math.max(a, b), column.missing);
  const broken = rowsApart(of, column, Math.min(most, Math.floor(MAX_OF_CHANCE * (rows - frequent))));
  return broken && (rows - kinds) * differing(column) >= MIN_EVIDENCE ? broken : undefined;
}

function differing({ codes, counts, missing }: SampledColumn): number {
  const shares = [...counts, missing].map((count) => count / codes.length);
  return 1 - shares.reduce((sum, share) => sum + share * share, 0);
}

function rowsApart(of: SampledColumn, column: SampledColumn, most: number): number[] | undefined {
  const beside = mostlyBeside(of, column, most);
  if (!beside) return undefined;
  const broken: number[] = [];
  for (let row = 0; row < of.codes.length; row++) {
    if (beside[of.codes[row]! + 1] !== column.codes[row] && broken.push(row) > most) return undefined;
  }
  return broken;
}

/**
 * Maps code of `of` + 1 to the majority code of `column` (Boyer and Moore, 1981); undefined above `most` exceptions.
 */
export function mostlyBeside(
  of: Pick<SampledColumn, 'codes' | 'levels'>,
  column: Pick<SampledColumn, 'codes'>,
  most: number,
): Int32Array | undefined {
  const beside = new Int32Array(of.levels.length + 1);
  const lead = new Int32Array(of.levels.length + 1);
  let apart = 0;
  for (let row = 0; row < of.codes.length; row++) {
    const at = of.codes[row]! + 1;
    const code = column.codes[row]!;
    if (lead[at] === 0) beside[at] = code;
    else if (beside[at] !== code && ++apart > most) return undefined;
    lead[at]! += beside[at] === code ? 1 : -1;
  }
  return beside;
}

/** Relations that can make a column. */
export type ValueRelation = Extract<Relation, { kind: 'copy' | 'function' | 'labels' }>;

export type SumRelation = Extract<Relation, { kind: 'sum' }>;

interface WholeColumn {
  cells: CellColumn;
  format: CellFormat | null;
  tokens?: readonly string[];
}

export const isValueRelation = (relation: Relation): relation is ValueRelation =>
  relation.kind === 'copy' || relation.kind === 'function' || relation.kind === 'labels';

export interface Confirmed<R> {
  relation: R;
  broken: number[];
}

/** Undefined for too many exceptions. */
export function confirmRelation(
  relation: ValueRelation,
  of: WholeColumn,
  column: WholeColumn,
): Confirmed<ValueRelation> | undefined {
  const rows = column.cells.codes.length;
  if (relation.kind === 'copy')
    return isCopy(of.cells, column.cells) ? { relation: { ...relation, rows }, broken: [] } : undefined;
  const [from, to] = [looked(of), looked(column)];
  for (const most of [0, mostBroken(rows)]) {
    if (relation.kind === 'labels') {
      const broken = brokenLabels(from, to, most);
      if (broken) return { relation: { ...relation, rows }, broken };
      continue;
    }
    const own = findFunction(from, to, most);
    if (own?.found.form === relation.form) return { relation: { ...relation, ...own.found, rows }, broken: own.broken };
  }
  return undefined;
}

/** Undefined for too many exceptions. */
export const confirmSum = (total: WholeColumn, parts: readonly WholeColumn[]): number[] | undefined =>
  brokenSums(looked(total), parts.map(looked), mostBroken(total.cells.codes.length));

/** Copies have equal codes, in order of first appearance. */
const isCopy = (of: CellColumn, column: CellColumn): boolean =>
  isSame(of.codes, column.codes) && of.levels.every((level, code) => level === column.levels[code]);

function looked({ cells, format, tokens = [] }: WholeColumn): SampledColumn {
  const texts = Array.from(cells.codes, (_, row) => {
    const text = cellAt(cells, row);
    return text !== null && tokens.includes(text) ? null : text;
  });
  return sampledColumn(cells.name, texts, (text) => (format ? parseCell(text, format) : undefined));
}
