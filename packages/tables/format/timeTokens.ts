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

export interface Fields {
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

export interface Token {
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

/** Two digits if padded, else one or two. */
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

export const TOKENS: Readonly<Record<string, Token>> = {
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

/** Fractional digits of a second, one for each S. */
export const fraction = (length: number): Token => ({
  source: '(\\d{1,9})',
  read: (text, fields) => {
    fields.millisecond = Number(`0.${text}`) * 1000;
  },
  write: (_, __, milliseconds) => {
    // A double holds only microseconds of current times.
    const micros = Math.round((((milliseconds % 1000) + 1000) % 1000) * 1000) % 1_000_000;
    return String(micros).padStart(6, '0').padEnd(length, '0').slice(0, length);
  },
});
