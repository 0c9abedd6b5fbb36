/** Numbers that are a function of other numbers, but for the rounding with which they are written. */
import { FORM_VALUES, FORMS, type FunctionForm } from './relation.ts';
import type { Numbers, SampledColumn } from './sampledColumn.ts';

export interface FoundFunction {
  form: FunctionForm;
  slope: number;
  intercept: number;
}

/** Rows and distinct numbers below which a curve goes through anything. */
const LEAST_ROWS = 20;
const LEAST_DISTINCT = 10;
/** The range of the numbers, in steps of their rounding, below which rounding hides too much. */
const LEAST_STEPS = 40;
/** How near a number has to be to one of 3, 4, 5 or 6 digits to be meant as that. */
const PLAIN = [1e-5, 1e-6, 1e-6, 1e-7] as const;

/** The function of `x` that gives `y` in every row; undefined where there is none. */
export function findFunction(x: SampledColumn, y: SampledColumn): FoundFunction | undefined {
  const [from, to] = [x.numbers, y.numbers];
  if (!from || !to || x.levels.length < LEAST_DISTINCT || y.levels.length < LEAST_DISTINCT) return undefined;
  if (to.values[to.high]! - to.values[to.low]! < LEAST_STEPS * to.rounding) return undefined;
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
  return rows >= LEAST_ROWS;
}
