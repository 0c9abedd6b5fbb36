/** Bins between round numbers, so that no edge is a real value. */
import type { CellFormat, TimeUnit } from '../../contract/columns.ts';
import type { Axis } from '../../contract/report.ts';

// Hides smaller counts of real rows, so that charts show no single rows.

export const MIN_ROWS = 5;

const DIGITS = 1e4;

/** Returns four digits; 0 for counts below `least`. */
export const sharesOf = (counts: ArrayLike<number>, of: number, least: number): number[] =>
  Array.from(counts, (count) => (of === 0 || count < least ? 0 : Math.round((count / of) * DIGITS) / DIGITS));

export interface NumberAxis extends Axis {
  /** Returns -1 for NaN. */
  binOf(value: number): number;
}

/** Share beyond each outermost edge. */
const TAIL = 0.01;

/** Minimum numbers in a tail, so that extremes set no edge. */
const TAIL_ROWS = MIN_ROWS;

const ROUND = [1, 2, 2.5, 5, 10];

const MAX_TICKS = 6;

/** Covers the middle of `real`, or of `fallback` if there are too few. Undefined if both have too few or overflow. */
export function numberAxis(
  column: string,
  real: Float64Array,
  fallback: Float64Array,
  format: CellFormat | null,
  bins: number,
): NumberAxis | undefined {
  const range = middleOf(real) ?? middleOf(fallback);
  if (!range) return undefined;
  const [low, high] = range;
  if (!Number.isFinite(high - low)) return undefined;
  const isWhole = format?.format.integer === true;
  if (isWhole && high - low < bins) {
    const bins = Math.round(high - low) + 1;
    return boxes(column, { from: low - 0.5, step: 1, bins, inMiddle: true }, format);
  }
  const step = roundUp(Math.max((high - low) / Math.max(1, bins - 2), leastStep(low, high, isWhole)));
  const from = Math.floor(low / step) * step;
  const count = Math.max(1, Math.floor((high - from) / step) + 1);
  return boxes(column, { from, step, bins: count, inMiddle: false }, format);
}

export const countAxis = (column: string, real: Float64Array, fallback: Float64Array, bins: number) =>
  numberAxis(column, real, fallback, null, bins);

interface Boxes {
  from: number;
  step: number;
  bins: number;
  /** Whether ticks stand in the middle of boxes, not at their edges. */
  inMiddle: boolean;
}

function boxes(column: string, { from, step, bins, inMiddle }: Boxes, format: CellFormat | null): NumberAxis {
  const every = Math.ceil(bins / MAX_TICKS);
  const ticks = Array.from({ length: Math.floor(bins / every) + 1 }, (_, i) => i * every + (inMiddle ? 0.5 : 0))
    .filter((at) => at <= bins - (inMiddle ? 0.5 : 0))
    .map((at) => ({ at, text: textOf(from + at * step, step, format) }));
  return {
    column,
    kind: 'numbers',
    bins,
    ticks,
    binOf: (value) =>
      Number.isNaN(value) ? -1 : Math.min(bins - 1, Math.max(0, Math.floor((value - from) / step + 1e-9))),
  };
}

function middleOf(values: Float64Array): [number, number] | undefined {
  const sorted = values.filter(Number.isFinite).sort();
  const cut = Math.max(TAIL_ROWS, Math.ceil(TAIL * sorted.length));
  if (sorted.length < 2 * cut) return undefined;
  return [sorted[cut - 1]!, sorted[sorted.length - cut]!];
}

/** Smallest step that numbers resolve. */
const leastStep = (low: number, high: number, isWhole: boolean): number =>
  Math.max(isWhole ? 1 : 0, Math.max(Math.abs(low), Math.abs(high)) * 1e-9, 1e-300);

/** To 1, 2, 2.5 or 5 times a power of ten. */
function roundUp(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = ROUND.find((one) => one * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const MILLISECONDS: Record<Exclude<TimeUnit, 'month'>, number> = {
  day: 86_400_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};

function textOf(value: number, step: number, format: CellFormat | null): string {
  if (format?.kind === 'time') return timeText(value, step, format.unit);
  const text = numberText(value, step);
  return format?.kind === 'decorated' ? `${format.prefix}${text}${format.suffix}` : text;
}

function numberText(value: number, step: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toPrecision(3).replace(/\.?0+e/, 'e');
  const decimals = Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + 1));
  return String(Number(value.toFixed(decimals)));
}

/** ISO 8601; a number outside the calendar. */
function timeText(value: number, step: number, unit: TimeUnit): string {
  if (unit === 'month') {
    const month = Math.round(value);
    return `${1970 + Math.floor(month / 12)}-${String((((month % 12) + 12) % 12) + 1).padStart(2, '0')}`;
  }
  const date = new Date(value * MILLISECONDS[unit]);
  if (Number.isNaN(date.getTime())) return String(value);
  const text = date.toISOString();
  return step * MILLISECONDS[unit] >= (3 * MILLISECONDS.day) / 4
    ? text.slice(0, 10)
    : text.slice(0, 16).replace('T', ' ');
}
