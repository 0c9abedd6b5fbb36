import type { TimeUnit } from '../../contract/columns.ts';
import { type Fields, fraction, TOKENS, type Token } from './timeTokens.ts';

export const UNIT_MILLISECONDS: Readonly<Record<Exclude<TimeUnit, 'month'>, number>> = {
  day: 86_400_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};

export interface Moment {
  /** Since 1970-01-01 00:00, local time. */
  milliseconds: number;
  zone: string | null;
}

const TOKEN = /YYYY|YY|Month|MONTH|month|Mon|MON|mon|Weekday|Wkd|MM|M|DD|D|hh|h|HH|H|mm|ss|S+|AM|am|Z|[\s\S]/g;

export class TimePattern {
  private readonly tokens: readonly (Token | string)[];
  private readonly groups: readonly Token[];
  private readonly expression: RegExp;
  private readonly steps: ReturnType<typeof digitSteps>;

  /** `YYYY`, `YY`, `MM`, `M`, `Mon`, `Month`, `DD`, `D`, `hh`, `HH` (12 hours), `mm`, `ss`, `S`, `AM`, `Z`. */
  constructor(pattern: string) {
    const names = pattern.match(TOKEN) ?? [];
    this.tokens = names.map((name) => TOKENS[name] ?? (name.startsWith('S') ? fraction(name.length) : name));
    this.groups = this.tokens.filter((token) => typeof token !== 'string');
    const sources = this.tokens.map((token) => (typeof token === 'string' ? escaped(token) : token.source));
    this.steps = digitSteps(names, (name) => name in TOKENS || name.startsWith('S'));
    this.expression = new RegExp(`^\\s*${sources.join('')}\\s*$`);
  }

  /** Returns undefined for a mismatch or an invalid date. */
  read(text: string): Moment | undefined {
    if (this.steps) {
      const milliseconds = readSteps(text, this.steps);
      return Number.isNaN(milliseconds) ? undefined : { milliseconds, zone: null };
    }
    const match = this.expression.exec(text);
    if (!match) return undefined;
    const start = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
    const read: Fields = { ...start, isAfternoon: null, zone: null };
    for (const [index, token] of this.groups.entries()) token.read(match[index + 1]!, read);
    return momentOf(read);
  }

  /** Milliseconds since 1970-01-01 00:00; NaN for a mismatch or a pattern with letters. */
  readPlainly(text: string): number {
    return this.steps ? readSteps(text, this.steps) : Number.NaN;
  }

  write({ milliseconds, zone }: Moment): string {
    const date = new Date(milliseconds);
    return this.tokens
      .map((token) => (typeof token === 'string' ? token : token.write(date, zone ?? '', milliseconds)))
      .join('');
  }
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const fields = [1970, 1, 1, 0, 0, 0];

function readSteps(text: string, steps: NonNullable<ReturnType<typeof digitSteps>>): number {
  fields[YEAR] = 1970;
  fields[MONTH] = 1;
  fields[DAY] = 1;
  fields[HOUR] = 0;
  fields[MINUTE] = 0;
  fields[SECOND] = 0;
  if (!readDigits(text, steps, fields)) return Number.NaN;
  return millisecondsOf(fields[YEAR]!, fields[MONTH]!, fields[DAY]!, fields[HOUR]!, fields[MINUTE]!, fields[SECOND]!);
}

function millisecondsOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  const isTime = hour < 24 && minute < 60 && second < 60;
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1 && isTime) || day > DAYS[month - 1]!) return Number.NaN;
  if (month === 2 && day === 29 && (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0))) return Number.NaN;
  return MILLISECONDS_A_DAY * daysFromCivil(year, month, day) + 1000 * (3600 * hour + 60 * minute + second);
}

const MILLISECONDS_A_DAY = 86_400_000;
const DAYS_IN_400_YEARS = 146_097;
/** Days from 0000-03-01. */
const DAYS_BEFORE_1970 = 719_468;

/**
 * Days since 1970-01-01 for years from 0: `days_from_civil` of Hinnant, "chrono-Compatible Low-Level Date Algorithms".
 */
function daysFromCivil(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - 400 * era;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = 365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return DAYS_IN_400_YEARS * era + dayOfEra - DAYS_BEFORE_1970;
}

function momentOf(read: Fields): Moment | undefined {
  const { year, month, day, minute, second, millisecond, isAfternoon, zone } = read;
  if (isAfternoon !== null && (read.hour < 1 || read.hour > 12)) return undefined;
  const hour = isAfternoon === null ? read.hour : (read.hour % 12) + (isAfternoon ? 12 : 0);
  const milliseconds = millisecondsOf(year, month, day, hour, minute, second);
  return Number.isNaN(milliseconds) ? undefined : { milliseconds: milliseconds + millisecond, zone };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Minutes east of Greenwich: 90 for "+01:30", 0 for "Z". */
export function offsetOf(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (60 * Number(match[2]) + Number(match[3] ?? 0));
}

// Reads "2024-03-20 11:35" without regular expressions, for speed.

const YEAR = 0;
const MONTH = 1;
const DAY = 2;
const HOUR = 3;
const MINUTE = 4;
const SECOND = 5;

const ZERO = 0x30;
const LAST_SPACE = 0x20;

/** A field of `least` to `most` digits, or a literal character. */
interface Step {
  field: number;
  least: number;
  most: number;
  character: number;
}

const FIELDS: Readonly<Record<string, readonly [field: number, least: number, most: number]>> = {
  YYYY: [YEAR, 4, 4],
  MM: [MONTH, 2, 2],
  M: [MONTH, 1, 2],
  DD: [DAY, 2, 2],
  D: [DAY, 1, 2],
  hh: [HOUR, 2, 2],
  h: [HOUR, 1, 2],
  mm: [MINUTE, 2, 2],
  ss: [SECOND, 2, 2],
};

function digitSteps(tokens: readonly string[], isOther: (token: string) => boolean): Step[] | undefined {
  const steps: Step[] = [];
  for (const token of tokens) {
    const [field, least, most] = FIELDS[token] ?? [-1, 0, 0];
    if (field < 0 && isOther(token)) return undefined;
    steps.push({ field, least, most, character: field < 0 ? token.charCodeAt(0) : 0 });
  }
  return steps;
}

/** Ignores surrounding spaces; false for a mismatch. */
function readDigits(text: string, steps: readonly Step[], fields: number[]): boolean {
  let end = text.length;
  let at = 0;
  while (at < end && text.charCodeAt(at) <= LAST_SPACE) at++;
  while (end > at && text.charCodeAt(end - 1) <= LAST_SPACE) end--;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    if (step.field < 0) {
      if (at >= end || text.charCodeAt(at++) !== step.character) return false;
      continue;
    }
    let value = 0;
    let count = 0;
    for (; count < step.most && at < end; count++, at++) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = 10 * value + digit;
    }
    if (count < step.least) return false;
    fields[step.field] = value;
  }
  return at === end;
}
