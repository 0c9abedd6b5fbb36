/** Converts spreadsheet cells to the text that Excel shows, if it can be parsed back. */
import { type CellObject, SSF } from 'xlsx';
import { isPercent, isPrefix, isSuffix, takeApart } from './format/decorated.ts';
import { parseNumber } from './format/number.ts';

export type Cell = CellObject | undefined;

const LONGEST_FORMAT = 255;
const MAX_FORMATS = 1000;

type Show = (value: number) => string;

export class CellReader {
  private readonly system: DateSystem;
  private readonly formats = new Map<string, Show>();

  constructor(system: DateSystem) {
    this.system = system;
  }

  /**
   * Returns ISO 8601 for times; formatted numbers if they can be parsed back ("12 %", "$3.50"), else in full; '' for
   * empty cells and errors.
   */
  text(cell: Cell): string {
    if (!cell || cell.v === undefined || cell.v === null || cell.t === 'e' || cell.t === 'z') return '';
    if (cell.t === 'b') return cell.v ? 'TRUE' : 'FALSE';
    if (cell.t !== 'n' || typeof cell.v !== 'number') return String(cell.v);
    if (cell.z === undefined || cell.z === 'General') return String(cell.v);
    return this.show(String(cell.z))(cell.v);
  }

  private show(format: string): Show {
    const known = this.formats.get(format);
    if (known) return known;
    if (this.formats.size >= MAX_FORMATS) this.formats.clear();
    const show = showOf(format, this.system);
    this.formats.set(format, show);
    return show;
  }
}

function showOf(format: string, system: DateSystem): Show {
  if (format.length > LONGEST_FORMAT || format === '@') return String;
  if (!SSF.is_date(format)) {
    const probe = shown(positivePart(format), PROBE);
    const isReadable = probe !== undefined && isNumber(probe, PROBE);
    return isReadable ? (value) => numberText(value, format) : String;
  }
  const fields = timeFieldsOf(format);
  return (value) => momentText(value, system, fields) ?? shown(format, value, system) ?? String(value);
}

/** Reveals formats in thousands or fractions. */
const PROBE = 12_345_678.9;

const positivePart = (format: string): string => format.split(';')[0] ?? '';

const momentText = (value: number, system: DateSystem, fields: TimeFields | undefined): string | undefined =>
  fields && serialText(value, system, fields);

/** Tries the whole format, then its section for positive numbers, then the full number. */
function numberText(value: number, format: string): string {
  const whole = shown(format, value);
  if (whole !== undefined && isNumber(whole, value)) return whole;
  const positive = positivePart(format);
  const alone = positive === format ? undefined : shown(positive, value);
  return alone !== undefined && isNumber(alone, value) ? alone : String(value);
}

function shown(format: string, value: number, system: DateSystem = 1900): string | undefined {
  try {
    const text = SSF.format(format, value, { date1904: system === 1904 }).trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

const ROUNDING = 0.5000001;

function isNumber(text: string, value: number): boolean {
  const plain = parseNumber(text);
  if (plain !== undefined) return isRounded(plain, value, text);
  const parts = takeApart(text);
  if (!parts || !isPrefix(parts.prefix) || !isSuffix(parts.suffix)) return false;
  const digits = parts.core.replaceAll(',', '');
  const isNegative = parts.sign !== '' && parts.sign !== '+';
  const read = (isNegative ? -1 : 1) * Number(digits);
  return isRounded(read, isPercent(parts.suffix) ? 100 * value : value, digits);
}

function isRounded(read: number, value: number, digits: string): boolean {
  const [, fraction = '', exponent = '0'] = /^[^.eE]*(?:\.(\d*))?(?:[eE](.*))?$/.exec(digits) ?? [];
  const unit = 10 ** (Number(exponent) - fraction.length);
  return Math.abs(read - value) <= ROUNDING * unit + 1e-9 * Math.abs(value);
}

type DateSystem = 1900 | 1904;

interface TimeFields {
  date: '' | 'YYYY' | 'YYYY-MM' | 'YYYY-MM-DD';
  time: '' | 'hh:mm' | 'hh:mm:ss';
  decimals: number;
}

const DAY_MS = 86_400_000;
const FROM_1904 = 1462;
/** First serial after 9999-12-31. */
const LAST_SERIAL = 2_958_466;
/** Excel's 1900 system counts a non-existent 29 February 1900 as day 60. */
const PHANTOM_DAY = 60;

const ASIDE = /"[^"]*"|\\.|[_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi;
const FIELD = /\[(?:h+|m+|s+)\]|am\/pm|a\/p|y+|e+|m+|d+|h+|s+|\.0+/gi;

/** Returns undefined if ISO 8601 cannot express the format. */
export function timeFieldsOf(format: string): TimeFields | undefined {
  const [section = ''] = format.replace(ASIDE, ' ').split(';');
  const fields = [...section.matchAll(FIELD)].map(([field]) => field.toLowerCase());
  if (fields.some((field) => field.startsWith('['))) return undefined;
  const letters = fields.filter((field) => !field.startsWith('.') && !field.startsWith('a'));
  const isMinute = (index: number): boolean =>
    letters[index]!.length <= 2 && (letters[index - 1]?.[0] === 'h' || letters[index + 1]?.[0] === 's');
  const has = (test: (field: string, index: number) => boolean): boolean => letters.some(test);
  const year = has((field) => field[0] === 'y' || field[0] === 'e');
  const month = has((field, index) => field[0] === 'm' && !isMinute(index));
  const day = has((field) => field === 'd' || field === 'dd');
  const seconds = has((field) => field[0] === 's');
  const clock = seconds || has((field, index) => field[0] === 'h' || (field[0] === 'm' && isMinute(index)));
  const date = day ? 'YYYY-MM-DD' : year ? (month ? 'YYYY-MM' : 'YYYY') : '';
  if (date === '' && (month || !clock)) return undefined;
  if (date !== 'YYYY-MM-DD' && date !== '' && clock) return undefined;
  const point = seconds ? (fields.find((field) => field.startsWith('.')) ?? '.') : '.';
  return {
    date,
    time: clock ? (seconds ? 'hh:mm:ss' : 'hh:mm') : '',
    decimals: Math.min(3, point.length - 1),
  };
}

/** Returns undefined outside the range of dates. */
export function serialText(serial: number, system: DateSystem, fields: TimeFields): string | undefined {
  const days = system === 1904 ? serial + FROM_1904 : serial;
  if (!(days >= 0 && days < LAST_SERIAL)) return undefined;
  const step = fields.decimals > 0 ? 10 ** (3 - fields.decimals) : 1000;
  // Fractions of a day are inexact: 12:00:00 must not become 11:59:59.
  const milliseconds = Math.round((days * DAY_MS) / step) * step;
  const epoch = Date.UTC(1899, 11, days < PHANTOM_DAY ? 31 : 30);
  const iso = new Date(epoch + milliseconds).toISOString();
  const date = iso.slice(0, fields.date.length);
  const end = fields.decimals > 0 ? fields.time.length + 1 + fields.decimals : fields.time.length;
  const time = iso.slice(11, 11 + end);
  return date !== '' && time !== '' ? `${date} ${time}` : date + time;
}
