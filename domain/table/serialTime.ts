/** Dates and times of spreadsheets: numbers of days, shown as ISO 8601 does, with the fields that the cell's format has. */

/** Which days a workbook counts from. */
export type DateSystem = 1900 | 1904;

/** The fields that a format shows; undefined in `timeFieldsOf` where ISO has no form for them, such as "Monday". */
export interface TimeFields {
  date: '' | 'YYYY' | 'YYYY-MM' | 'YYYY-MM-DD';
  time: '' | 'hh:mm' | 'hh:mm:ss';
  /** Digits of a second behind its point: 0 to 3. */
  decimals: number;
}

const DAY_MS = 86_400_000;
/** Day 0 of 1904's system in 1900's. */
const FROM_1904 = 1462;
/** Behind 9999-12-31. */
const LAST_SERIAL = 2_958_466;
/** In 1900's system day 60 is the 29th of a February that had 28: days before it are counted from a day later. */
const PHANTOM_DAY = 60;

/** What stands in a format and is no field: quoted and escaped text, padding, colours, conditions, locales. */
const ASIDE = /"[^"]*"|\\.|[_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi;
const FIELD = /\[(?:h+|m+|s+)\]|am\/pm|a\/p|y+|e+|m+|d+|h+|s+|\.0+/gi;

/** The fields of a date's or time's number format. */
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

/** The moment of a serial number with the given fields; undefined where it lies outside of what dates can be. */
export function serialText(serial: number, system: DateSystem, fields: TimeFields): string | undefined {
  const days = system === 1904 ? serial + FROM_1904 : serial;
  if (!(days >= 0 && days < LAST_SERIAL)) return undefined;
  const step = fields.decimals > 0 ? 10 ** (3 - fields.decimals) : 1000;
  // Fractions of a day are rarely exact: 12:00:00 must not become 11:59:59.
  const milliseconds = Math.round((days * DAY_MS) / step) * step;
  const epoch = Date.UTC(1899, 11, days < PHANTOM_DAY ? 31 : 30);
  const iso = new Date(epoch + milliseconds).toISOString();
  const date = iso.slice(0, fields.date.length);
  const end = fields.decimals > 0 ? fields.time.length + 1 + fields.decimals : fields.time.length;
  const time = iso.slice(11, 11 + end);
  return date !== '' && time !== '' ? `${date} ${time}` : date + time;
}
