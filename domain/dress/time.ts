/** Times to numbers of a unit since 1970, and back. */
import type { TimeDress, TimeUnit } from './dress.ts';
import { offsetOf, TimePattern, UNIT_MILLISECONDS } from './timePattern.ts';

const known = new Map<string, TimePattern>();
const MOST_KNOWN = 200;
const FIRST_YEAR = 1970;

export function patternOf(name: string): TimePattern {
  const found = known.get(name);
  if (found) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const pattern = new TimePattern(name);
  known.set(name, pattern);
  return pattern;
}

/** Whole where the cell is a multiple of the unit. The clock is that of the dress's zone. */
export function undressTime(text: string, dress: Omit<TimeDress, 'format'>): number | undefined {
  const moment = patternOf(dress.pattern).read(text);
  if (!moment) return undefined;
  const { milliseconds, zone } = moment;
  const shift = zone === null || dress.zone === null || zone === dress.zone ? 0 : offsetOf(dress.zone) - offsetOf(zone);
  return toUnit(milliseconds + 60_000 * shift, dress.unit);
}

export function redressTime(value: number, dress: TimeDress): string {
  if (Number.isNaN(value)) return '';
  const { min, max, integer } = dress.format;
  const bounded = Math.min(Math.max(value, min), max);
  const milliseconds = fromUnit(integer ? Math.round(bounded) : bounded, dress.unit);
  return patternOf(dress.pattern).write({ milliseconds, zone: dress.zone });
}

export function toUnit(milliseconds: number, unit: TimeUnit): number {
  if (unit !== 'month') return milliseconds / UNIT_MILLISECONDS[unit];
  const date = new Date(milliseconds);
  const months = 12 * (date.getUTCFullYear() - FIRST_YEAR) + date.getUTCMonth();
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return months + (milliseconds - start) / (31 * UNIT_MILLISECONDS.day);
}

function fromUnit(value: number, unit: TimeUnit): number {
  if (unit === 'millisecond') return value;
  if (unit !== 'month') return Math.round(value * UNIT_MILLISECONDS[unit]);
  const months = Math.floor(value);
  return Date.UTC(FIRST_YEAR, months, 1) + Math.round((value - months) * 31) * UNIT_MILLISECONDS.day;
}
