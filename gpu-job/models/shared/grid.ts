/** The grid that a column's numbers lie on: whole numbers, decimals, multiples of five. */

/** Decimals looked for, at most. */
const MOST_DECIMALS = 9;

/** All numbers are multiples of `multiple` / `scale`. */
export interface Grid {
  scale: number;
  multiple: number;
}

/** The coarsest grid of `values` (finite numbers); null where there is none. */
export function findGrid(values: Float64Array): Grid | null {
  for (let decimals = 0; decimals <= MOST_DECIMALS; decimals++) {
    const multiple = commonDivisor(values, 10 ** decimals);
    if (multiple > 0) return { scale: 10 ** decimals, multiple };
  }
  return null;
}

/** The greatest common divisor of values · scale; 0 where one is no whole number or all are 0. */
function commonDivisor(values: Float64Array, scale: number): number {
  let divisor = 0;
  for (let i = 0; i < values.length; i++) {
    let rest = Math.abs(Math.round(values[i]! * scale));
    if (!Number.isSafeInteger(rest) || Math.round(values[i]! * scale) / scale !== values[i]!) return 0;
    while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  }
  return divisor;
}

/** The nearest number on the grid, as a decimal is written. */
export const onGrid = (grid: Grid | null, value: number): number =>
  grid === null ? value : (Math.round((value * grid.scale) / grid.multiple) * grid.multiple) / grid.scale;

/** The distance of neighbours on the grid; 0 where there is none. */
export const gridStep = (grid: Grid | null): number => (grid === null ? 0 : grid.multiple / grid.scale);
