/** A column of the row sample in the shape in which relations are looked for, and how many rows may break one. */

/** Rows and distinct numbers below which a curve goes through anything, and a sum is chance. */
export const MIN_ROWS = 20;
export const MIN_DISTINCT = 10;
/** The range of the numbers, or of a total, in steps of their rounding, below which rounding hides too much. */
export const MIN_STEPS = 40;

/** Share of the rows that may break a relation; and of the breaks that chance alone would give, for those that chance could break. */
const MAX_BROKEN = 0.01;
export const MAX_OF_CHANCE = 0.05;

/** How far beyond rounding most of the numbers that break a relation have to lie: what shades off is no rule. */
const MIN_BEYOND = 5;

/** Whether numbers that lie `offsets` from where they should, each by more than `allowed`, are exceptions and not the tail of the others. */
export function areClear(offsets: readonly number[], allowed: number): boolean {
  const far = offsets.filter((offset) => Math.abs(offset) >= MIN_BEYOND * allowed);
  return 2 * far.length >= offsets.length;
}

/** Rows that may break a relation of `rows` rows. */
export const mostBroken = (rows: number): number => Math.floor(MAX_BROKEN * rows);

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

/** Rows of a small and of a large number. */
export interface Ends {
  low: number;
  high: number;
}

/** The ends are the smallest and the largest number. */
export interface Numbers extends Ends {
  values: Float64Array;
  /** Some within those. */
  within: readonly Ends[];
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
  return { name, codes, levels, counts, missing, numbers: isNumeric ? summariseNumbers(codes, levels, values) : null };
}

function summariseNumbers(codes: Int32Array, levels: readonly string[], ofLevels: readonly number[]): Numbers {
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
  return {
    values,
    low,
    high,
    within: endsWithin(values),
    rounding: Math.max(0.5001 * 10 ** -decimals, PRECISION * largest),
  };
}

function endsWithin(values: Float64Array): Ends[] {
  const at = rowsAt(values);
  return at ? [0.02, 0.05, 0.09].map((share) => ({ low: at(share), high: at(1 - share) })) : [];
}

/** Rows that are enough to tell small numbers from large ones. */
const SOME_ROWS = 200;

/** The row below whose number lies a share (0 to 1) of the others, about; undefined where none of the rows looked at has a number. */
export function rowsAt(values: Float64Array): ((share: number) => number) | undefined {
  const stride = Math.ceil(values.length / SOME_ROWS);
  const rows: number[] = [];
  for (let row = 0; row < values.length; row += stride) if (!Number.isNaN(values[row]!)) rows.push(row);
  rows.sort((a, b) => values[a]! - values[b]!);
  return rows.length === 0 ? undefined : (share) => rows[Math.round(share * (rows.length - 1))]!;
}

function decimalsOf(text: string): number {
  const [, digits, exponent] = /[.,](\d+)(?:e([+-]?\d+))?\D*$/i.exec(text) ?? [];
  return digits === undefined ? 0 : Math.max(0, digits.length - Number(exponent ?? 0));
}

export const isSame = (a: Int32Array, b: Int32Array): boolean => a.every((code, row) => code === b[row]);
