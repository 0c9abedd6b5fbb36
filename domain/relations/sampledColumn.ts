/** A column of the row sample, in the shape in which relations are looked for. */

export interface SampledColumn {
  name: string;
  /** -1 is a missing cell. Codes go up in the order of first appearance. */
  codes: Int32Array;
  levels: string[];
  /** Rows of each level. */
  counts: number[];
  missing: number;
  /** Of each row; NaN where the cell is missing. Null where some cell is no number. */
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
export const PRECISION = 1e-6;

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
