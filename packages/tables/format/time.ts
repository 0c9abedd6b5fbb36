import type { TimeFormat, TimeUnit } from '../../contract/columns.ts';
import { offsetOf, TimePattern, UNIT_MILLISECONDS } from './timePattern.ts';

const known = new Map<string, TimePattern>();
const MAX_KNOWN = 200;
const FIRST_YEAR = 1970;

export function patternOf(name: string): TimePattern {
  const found = known.get(name);
  if (found) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const pattern = new TimePattern(name);
  known.set(name, pattern);
  return pattern;
}

/** Units since 1970 in the format's own zone. */
export function parseTime(text: string, format: Omit<TimeFormat, 'format'>): number | undefined {
  const moment = patternOf(format.pattern).read(text);
  if (!moment) return undefined;
  const { milliseconds, zone } = moment;
  const shift =
    zone === null || format.zone === null || zone === format.zone ? 0 : offsetOf(format.zone) - offsetOf(zone);
  return toUnit(milliseconds + 60_000 * shift, format.unit);
}

export function formatTime(value: number, format: TimeFormat): string {
  if (Number.isNaN(value)) return '';
  const { min, max, integer } = format.format;
  const bounded = Math.min(Math.max(value, min), max);
  const milliseconds = fromUnit(integer ? Math.round(bounded) : bounded, format.unit);
  return patternOf(format.pattern).write({ milliseconds, zone: format.zone });
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

const SHARE = 0.95;
const GLANCE = 40;
const GLANCE_SHARE = 0.75;
/** Range of plausible years. */
const EARLIEST = Date.UTC(1500, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);
/** Few bare numbers may look like dates by chance. */
const MIN_BARE = 10;
/** Months, if at least this many days are all first days. */
const MIN_FIRSTS = 12;

const CLOCK = [
  '(?<gap>T| |, )(?<hour>\\d{1,2}):\\d\\d',
  '(?::(?<second>\\d\\d)(?:(?<mark>[.,])(?<fraction>\\d{1,9}))?)?',
  '(?:(?<halfGap> ?)(?<half>[AaPp][Mm]))?',
  '(?:(?<zoneGap> ?)(?<zone>Z|z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?))?',
].join('');
const NAME = '([A-Za-z]{3,9})';

interface DatePart {
  expression: RegExp;
  patterns(match: RegExpExecArray): string[];
}

const datePart = (source: string, patterns: DatePart['patterns']): DatePart => ({
  expression: new RegExp(`^${source}(?:${CLOCK})?$`),
  patterns,
});

const withoutClock = (source: string, patterns: DatePart['patterns']): DatePart => ({
  expression: new RegExp(`^${source}$`),
  patterns,
});

const yearOf = (text: string): string => (text.length === 2 ? 'YY' : 'YYYY');

function monthOf(name: string): string {
  const token = name.length === 3 ? 'Mon' : 'Month';
  if (name === name.toUpperCase()) return token.toUpperCase();
  return name === name.toLowerCase() ? token.toLowerCase() : token;
}

/** The first wins if no cell tells day from month. */
const dayAndMonth = (mark: string, year: string): string[] => {
  const american = `M${mark}D${mark}${year}`;
  const european = `D${mark}M${mark}${year}`;
  return mark === '/' ? [american, european] : [european, american];
};

const DATE_PARTS: readonly DatePart[] = [
  datePart('(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})', ([, , mark]) => [`YYYY${mark}M${mark}D`]),
  datePart('(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d\\d)', ([, , mark = '', , year = '']) =>
    dayAndMonth(mark, yearOf(year)),
  ),
  datePart(`(?:([A-Za-z]{3,9})(,? ))?(\\d{1,2})([ -])${NAME}\\4(\\d{4}|\\d\\d)`, (match) => {
    const [, day, gap = '', , mark = '', name = '', year = ''] = match;
    return [`${weekdayOf(day, gap)}D${mark}${monthOf(name)}${mark}${yearOf(year)}`];
  }),
  datePart(`(?:([A-Za-z]{3,9})(,? ))?${NAME} (\\d{1,2})(,? )(\\d{4})`, (match) => {
    const [, day, gap = '', name = '', , mark = ''] = match;
    return [`${weekdayOf(day, gap)}${monthOf(name)} D${mark}YYYY`];
  }),
  withoutClock(`${NAME}([- /]|, )(\\d{4}|\\d\\d)`, ([, name = '', mark, year = '']) => [
    `${monthOf(name)}${mark}${yearOf(year)}`,
  ]),
  withoutClock('(\\d{4})([-/])(\\d{1,2})', ([, , mark]) => [`YYYY${mark}M`]),
  withoutClock('(\\d{1,2})([-/.])(\\d{4})', ([, , mark]) => [`M${mark}YYYY`]),
  withoutClock('\\d{8}', () => ['YYYYMMDD']),
  withoutClock('\\d{14}', () => ['YYYYMMDDhhmmss']),
  withoutClock(`[A-Z][a-z]{2} [A-Z][a-z]{2} \\d\\d \\d\\d:\\d\\d:\\d\\d [+-]\\d{4} \\d{4}`, () => [
    'Wkd Mon DD hh:mm:ss Z YYYY',
  ]),
];
const CLOCK_ALONE = new RegExp(`^${CLOCK}$`);

const weekdayOf = (day: string | undefined, gap: string): string =>
  day === undefined ? '' : `${day.length === 3 ? 'Wkd' : 'Weekday'}${gap}`;

/** Possible patterns, likeliest first, unpadded. */
function patternsOf(text: string): string[] {
  for (const part of DATE_PARTS) {
    const match = part.expression.exec(text);
    if (match) return part.patterns(match).flatMap((date) => mayVariants(text, date + clockOf(match)));
  }
  const alone = CLOCK_ALONE.exec(` ${text}`);
  return alone ? [clockOf(alone).slice(1)] : [];
}

/** "May" may be a long or short name. */
const mayVariants = (text: string, pattern: string): string[] =>
  /\bmay\b/i.test(text)
    ? [pattern, pattern.replace(/mon/i, (name) => name + (name === 'MON' ? 'TH' : 'th'))]
    : [pattern];

function clockOf(match: RegExpExecArray): string {
  const { gap, second, mark, fraction, halfGap = '', half, zoneGap = '', zone } = match.groups ?? {};
  if (gap === undefined) return '';
  const digits = fraction === undefined ? '' : `${mark}${'S'.repeat(fraction.length)}`;
  const seconds = second === undefined ? '' : `:ss${digits}`;
  const day = half === undefined ? '' : `${halfGap}${half === half.toUpperCase() ? 'AM' : 'am'}`;
  return `${gap}${half === undefined ? 'h' : 'H'}:mm${seconds}${day}${zone === undefined ? '' : `${zoneGap}Z`}`;
}

/** Returns the pattern of at least 95 % of the texts, if any. */
export function inferTime(texts: readonly string[]): Omit<TimeFormat, 'format'> | undefined {
  const first = texts.slice(0, GLANCE);
  if (first.filter((text) => patternsOf(text.trim()).length > 0).length < GLANCE_SHARE * first.length) return undefined;
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const pattern of patternsOf(text.trim())) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  const candidates = [...counts].filter(([, count]) => count >= SHARE * texts.length).map(([pattern]) => pattern);
  const fits = candidates.map((pattern) => ({ pattern, count: countOf(texts, pattern) }));
  const best = fits.reduce<{ pattern: string; count: number } | undefined>(
    (a, b) => (a && a.count >= b.count ? a : b),
    undefined,
  );
  if (!best || best.count < SHARE * texts.length) return undefined;
  if (/^YYYYMMDD/.test(best.pattern) && (texts.length < MIN_BARE || best.count < texts.length)) return undefined;
  const pattern = padded(best.pattern, texts);
  const zone = zonesOf(texts, pattern)[0] ?? null;
  return { kind: 'time', pattern, unit: unitOf(texts, pattern, zone), zone };
}

function countOf(texts: readonly string[], pattern: string): number {
  const reader = patternOf(pattern);
  return texts.reduce((count, text) => {
    const moment = reader.read(text);
    return count + (moment && moment.milliseconds >= EARLIEST && moment.milliseconds < LATEST ? 1 : 0);
  }, 0);
}

function padded(pattern: string, texts: readonly string[]): string {
  // Excludes the T between date and time.
  const field = (name: string): RegExp => new RegExp(`(?<![A-SU-Za-z])${name}(?![A-SU-Za-z])`);
  let out = pattern;
  for (const names of [['M', 'D'], ['h'], ['H']]) {
    const wider = names.reduce((text, name) => text.replace(field(name), name + name), out);
    if (wider !== out && countOf(texts, wider) >= countOf(texts, out)) out = wider;
  }
  return out;
}

function zonesOf(texts: readonly string[], pattern: string): string[] {
  if (!pattern.includes('Z')) return [];
  const counts = new Map<string, number>();
  for (const text of texts) {
    const zone = patternOf(pattern).read(text)?.zone;
    if (zone) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || offsetOf(a[0]) - offsetOf(b[0])).map(([zone]) => zone);
}

function unitOf(texts: readonly string[], pattern: string, zone: string | null): TimeUnit {
  if (!pattern.includes('D') && pattern.includes('YY')) return 'month';
  const values = texts.flatMap((text) => parseTime(text, { kind: 'time', pattern, unit: 'millisecond', zone }) ?? []);
  const isFirst = (value: number): boolean => Number.isInteger(toUnit(value, 'month'));
  if (texts.length >= MIN_FIRSTS && values.every(isFirst)) return 'month';
  const units: Exclude<TimeUnit, 'month'>[] = ['day', 'minute', 'second'];
  return units.find((unit) => values.every((value) => value % UNIT_MILLISECONDS[unit] === 0)) ?? 'millisecond';
}
