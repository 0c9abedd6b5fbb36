/** Patterns of dates and times: what they read and what they write. */
import type { TimeUnit } from './dress.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const TWO_DIGIT_PIVOT = 69;

export const UNIT_MILLISECONDS: Readonly<Record<Exclude<TimeUnit, 'month'>, number>> = {
  day: 86_400_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};

/** A moment of a clock, its zone aside. */
export interface Moment {
  /** Milliseconds since 1970-01-01 00:00 of that clock. */
  milliseconds: number;
  /** The zone as it is written; null where there is none. */
  zone: string | null;
}

interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
  isAfternoon: boolean | null;
  zone: string | null;
}

interface Token {
  /** What it matches, as one group. */
  source: string;
  read(text: string, fields: Fields): void;
  write(date: Date, zone: string, milliseconds: number): string;
}

const two = (value: number): string => String(value).padStart(2, '0');
const asIs = (text: string): string => text;
const upper = (text: string): string => text.toUpperCase();
const lower = (text: string): string => text.toLowerCase();
const short = (text: string): string => text.slice(0, 3);
const twelve = (date: Date): number => date.getUTCHours() % 12 || 12;

/** A field of digits: exactly two where it is padded, else one or two. */
const digits = (name: NumberField, isPadded: boolean, value: (date: Date) => number): Token => ({
  source: isPadded ? '(\\d\\d)' : '(\\d{1,2})',
  read: (text, fields) => {
    fields[name] = Number(text);
  },
  write: (date) => (isPadded ? two(value(date)) : String(value(date))),
});
type NumberField = 'month' | 'day' | 'hour' | 'minute' | 'second';

const monthName = (isShort: boolean, style: (text: string) => string): Token => ({
  source: isShort ? '([A-Za-z]{3})' : '([A-Za-z]{3,9})',
  read: (text, fields) => {
    const wanted = lower(text);
    const index = MONTHS.findIndex((name) => lower(isShort ? short(name) : name) === wanted);
    fields.month = index < 0 ? Number.NaN : index + 1;
  },
  write: (date) => style(isShort ? short(MONTHS[date.getUTCMonth()]!) : MONTHS[date.getUTCMonth()]!),
});

const weekday = (isShort: boolean): Token => ({
  source: isShort ? '([A-Za-z]{3})' : '([A-Za-z]{6,9})',
  read: () => undefined,
  write: (date) => (isShort ? short(WEEKDAYS[date.getUTCDay()]!) : WEEKDAYS[date.getUTCDay()]!),
});

const halfOfDay = (style: (text: string) => string): Token => ({
  source: '([AaPp][Mm])',
  read: (text, fields) => {
    fields.isAfternoon = lower(text) === 'pm';
  },
  write: (date) => style(date.getUTCHours() < 12 ? 'AM' : 'PM'),
});

const TOKENS: Readonly<Record<string, Token>> = {
  YYYY: {
    source: '(\\d{4})',
    read: (text, fields) => {
      fields.year = Number(text);
    },
    write: (date) => String(date.getUTCFullYear()).padStart(4, '0'),
  },
  YY: {
    source: '(\\d\\d)',
    read: (text, fields) => {
      fields.year = Number(text) + (Number(text) < TWO_DIGIT_PIVOT ? 2000 : 1900);
    },
    write: (date) => two(date.getUTCFullYear() % 100),
  },
  Month: monthName(false, asIs),
  MONTH: monthName(false, upper),
  month: monthName(false, lower),
  Mon: monthName(true, asIs),
  MON: monthName(true, upper),
  mon: monthName(true, lower),
  Weekday: weekday(false),
  Wkd: weekday(true),
  MM: digits('month', true, (date) => date.getUTCMonth() + 1),
  M: digits('month', false, (date) => date.getUTCMonth() + 1),
  DD: digits('day', true, (date) => date.getUTCDate()),
  D: digits('day', false, (date) => date.getUTCDate()),
  hh: digits('hour', true, (date) => date.getUTCHours()),
  h: digits('hour', false, (date) => date.getUTCHours()),
  HH: digits('hour', true, twelve),
  H: digits('hour', false, twelve),
  mm: digits('minute', true, (date) => date.getUTCMinutes()),
  ss: digits('second', true, (date) => date.getUTCSeconds()),
  AM: halfOfDay(asIs),
  am: halfOfDay(lower),
  Z: {
    source: '(Z|z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?)',
    read: (text, fields) => {
      fields.zone = text;
    },
    write: (_, zone) => zone,
  },
};

/** Digits of a second behind its point: as many as the pattern has letters S. */
const fraction = (length: number): Token => ({
  source: '(\\d{1,9})',
  read: (text, fields) => {
    fields.millisecond = Number(`0.${text}`) * 1000;
  },
  write: (_, __, milliseconds) => {
    // A double has room for whole microseconds of our time, not for more.
    const micros = Math.round((((milliseconds % 1000) + 1000) % 1000) * 1000) % 1_000_000;
    return String(micros).padStart(6, '0').padEnd(length, '0').slice(0, length);
  },
});

const TOKEN = /YYYY|YY|Month|MONTH|month|Mon|MON|mon|Weekday|Wkd|MM|M|DD|D|hh|h|HH|H|mm|ss|S+|AM|am|Z|[\s\S]/g;

export class TimePattern {
  private readonly tokens: readonly (Token | string)[];
  private readonly groups: readonly Token[];
  private readonly expression: RegExp;

  /** `YYYY` or `YY` year, `MM` or `M` month, `Mon` or `Month` its name, `DD` or `D`, `hh`, `HH` of twelve, `mm`, `ss`, `S`, `AM`, `Z`. */
  constructor(pattern: string) {
    const names = pattern.match(TOKEN) ?? [];
    this.tokens = names.map((name) => TOKENS[name] ?? (name.startsWith('S') ? fraction(name.length) : name));
    this.groups = this.tokens.filter((token) => typeof token !== 'string');
    const sources = this.tokens.map((token) => (typeof token === 'string' ? escaped(token) : token.source));
    this.expression = new RegExp(`^\\s*${sources.join('')}\\s*$`);
  }

  /** Undefined where the text is not of the pattern or is no day of the calendar. */
  read(text: string): Moment | undefined {
    const match = this.expression.exec(text);
    if (!match) return undefined;
    const fields = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
    const read: Fields = { ...fields, isAfternoon: null, zone: null };
    for (const [index, token] of this.groups.entries()) token.read(match[index + 1]!, read);
    return momentOf(read);
  }

  write({ milliseconds, zone }: Moment): string {
    const date = new Date(milliseconds);
    return this.tokens
      .map((token) => (typeof token === 'string' ? token : token.write(date, zone ?? '', milliseconds)))
      .join('');
  }
}

function momentOf(fields: Fields): Moment | undefined {
  const { year, month, day, minute, second, millisecond, isAfternoon, zone } = fields;
  if (isAfternoon !== null && (fields.hour < 1 || fields.hour > 12)) return undefined;
  const hour = isAfternoon === null ? fields.hour : (fields.hour % 12) + (isAfternoon ? 12 : 0);
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1 && hour < 24 && minute < 60 && second < 60)) {
    return undefined;
  }
  if (day > 28 && day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  return { milliseconds: Date.UTC(year, month - 1, day, hour, minute, second) + millisecond, zone };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Minutes east of Greenwich: 90 for "+01:30", 0 for "Z". */
export function offsetOf(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (60 * Number(match[2]) + Number(match[3] ?? 0));
}
