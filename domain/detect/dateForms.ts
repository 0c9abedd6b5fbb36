/** Forms in which dates and times are written. */

export interface DateForm {
  /** As people write it down: YYYY year, MM month, Mon its name, DD day, hh:mm:ss time. */
  name: string;
  pattern: RegExp;
}

const YEAR = '(?:1[5-9]|20|21)\\d\\d';
const MONTH = '(?:0?[1-9]|1[0-2])';
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const NAME = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)';
const LONG_NAME = `(?:${NAME}|january|february|march|april|june|july|august|september|october|november|december)\\.?`;
const CLOCK = '(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:[.,]\\d{1,9})?)?(?:\\s?[ap]\\.?m\\.?)?';
const ZONE = '(?:\\s?(?:z|utc|gmt|[+-]\\d\\d:?(?:\\d\\d)?))?';
const TIME = `(?:[t\\s,]\\s?${CLOCK}${ZONE})?`;
const WEEKDAY = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\\s)?';

const form = (name: string, pattern: string): DateForm => ({ name, pattern: new RegExp(`^${pattern}$`, 'i') });

/** In all but the last three, a time of day may follow. */
export const DATE_FORMS: readonly DateForm[] = [
  form('YYYY-MM-DD', `${YEAR}-${MONTH}-${DAY}${TIME}`),
  form('YYYY/MM/DD', `${YEAR}/${MONTH}/${DAY}${TIME}`),
  form('YYYY.MM.DD', `${YEAR}\\.${MONTH}\\.${DAY}${TIME}`),
  form('MM/DD/YYYY', `${MONTH}/${DAY}/(?:${YEAR}|\\d\\d)${TIME}`),
  form('DD/MM/YYYY', `${DAY}/${MONTH}/(?:${YEAR}|\\d\\d)${TIME}`),
  form('DD.MM.YYYY', `${DAY}\\.${MONTH}\\.(?:${YEAR}|\\d\\d)${TIME}`),
  form('MM-DD-YYYY', `${MONTH}-${DAY}-${YEAR}${TIME}`),
  form('DD-MM-YYYY', `${DAY}-${MONTH}-${YEAR}${TIME}`),
  form('DD Mon YYYY', `${WEEKDAY}${DAY}[\\s-]${LONG_NAME}[\\s-](?:${YEAR}|\\d\\d)${TIME}`),
  form('Mon DD, YYYY', `${WEEKDAY}${LONG_NAME}\\s${DAY}(?:st|nd|rd|th)?,?\\s${YEAR}${TIME}`),
  form('Mon-YY', `${LONG_NAME}[\\s-]'?(?:${YEAR}|\\d\\d)`),
  form('YYYY-MM', `${YEAR}[-/](?:0[1-9]|1[0-2])`),
  form('hh:mm', CLOCK),
];

/** The date as one number of eight digits. */
export const COMPACT_DATE: DateForm = form('YYYYMMDD', `(?:19|20)\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])`);
