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
const twoDigits = (name: NumberField, value: (date: Date) => number): Token => ({
  source: '(\\d\\d)',
  read: (text, fields) => {
    fields[name] = Number(text);
  },
  write: (date) => two(value(date)),
});

const oneOrTwoDigits = (name: NumberField, value: (date: Date) => number): Token => ({
  ...twoDigits(name, value),
  source: '(\\d{1,2})',
  write: (date) => String(value(date)),
});
type NumberField = 'month' | 'day' | 'hour' | 'minute' | 'second';

type NameLength = 'short' | 'long';

const monthName = (length: NameLength, style: (text: string) => string): Token => ({
  source: length === 'short' ? '([A-Za-z]{3})' : '([A-Za-z]{3,9})',
  read: (text, fields) => {
    const wanted = lower(text);
    const index = MONTHS.findIndex((name) => lower(length === 'short' ? short(name) : name) === wanted);
    fields.month = index < 0 ? Number.NaN : index + 1;
  },
  write: (date) => style(length === 'short' ? short(MONTHS[date.getUTCMonth()]!) : MONTHS[date.getUTCMonth()]!),
});

const weekday = (length: NameLength): Token => ({
  source: length === 'short' ? '([A-Za-z]{3})' : '([A-Za-z]{6,9})',
  read: () => undefined,
  write: (date) => (length === 'short' ? short(WEEKDAYS[date.getUTCDay()]!) : WEEKDAYS[date.getUTCDay()]!),
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
  Month: monthName('long', asIs),
  MONTH: monthName('long', upper),
  month: monthName('long', lower),
  Mon: monthName('short', asIs),
  MON: monthName('short', upper),
  mon: monthName('short', lower),
  Weekday: weekday('long'),
  Wkd: weekday('short'),
  MM: twoDigits('month', (date) => date.getUTCMonth() + 1),
  M: oneOrTwoDigits('month', (date) => date.getUTCMonth() + 1),
  DD: twoDigits('day', (date) => date.getUTCDate()),
  D: oneOrTwoDigits('day', (date) => date.getUTCDate()),
  hh: twoDigits('hour', (date) => date.getUTCHours()),
  h: oneOrTwoDigits('hour', (date) => date.getUTCHours()),
  HH: twoDigits('hour', twelve),
  H: oneOrTwoDigits('hour', twelve),
  mm: twoDigits('minute', (date) => date.getUTCMinutes()),
  ss: twoDigits('second', (date) => date.getUTCSeconds()),
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
