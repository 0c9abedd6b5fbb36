export const MIN_ROWS = 20;
export const MIN_DISTINCT = 10;
/** Minimum range in units of rounding. */
export const MIN_STEPS = 40;

/** Maximum share of exceptions, and of those expected by chance. */
const MAX_BROKEN = 0.01;
export const MAX_OF_CHANCE = 0.05;

/** Minimum deviation of exceptions in roundings; a gradual transition is no rule. */
const MIN_BEYOND = 5;

/** Whether offsets beyond `allowed` are exceptions rather than a tail. */
export function areClear(offsets: readonly number[], allowed: number): boolean {
  const far = offsets.filter((offset) => Math.abs(offset) >= MIN_BEYOND * allowed);
  return 2 * far.length >= offsets.length;
}

export const mostBroken = (rows: number): number => Math.floor(MAX_BROKEN * rows);

export interface SampledColumn {
  name: string;
  /** -1 is missing. In order of first appearance. */
  codes: Int32Array;
  levels: string[];
  counts: number[];
  missing: number;
  /** NaN for missing cells; null if a cell is not a number. */
  numbers: Numbers | null;
}

export interface Ends {
  low: number;
  high: number;
}

export interface Numbers extends Ends {
  values: Float64Array;
  within: readonly Ends[];
  /** Half a unit of the last decimal, or the precision of 32-bit floats. */
  rounding: number;
}

const PRECISION = 1e-6;

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

const SOME_ROWS = 200;

/** Maps a quantile (0 to 1) to a row; undefined without numbers. */
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
