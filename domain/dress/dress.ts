/** How the cells of a column dress a number: plainly, decorated ("$1,204.50"), or as a date or time. */
import { z } from 'zod';
import { formatNumber, learnFormat, parseNumber } from '../table/numberFormat.ts';
import { plainNumber, redressNumber, undressNumber } from './decorated.ts';
import { DRESS_SHARE, learnDecorated } from './learnDecorated.ts';
import { learnTime } from './learnTime.ts';
import { redressTime, undressTime } from './time.ts';

/** How a column of numbers is written. */
export const numberFormatSchema = z.object({
  /** Every number is whole and none is written with a decimal point. */
  integer: z.boolean(),
  /** Most digits after the decimal point that a cell has. */
  decimals: z.int(),
  /** Every cell has exactly `decimals` digits after the point ("1.50", "2.00"). */
  fixed: z.boolean(),
  /** Cells with a point have exactly `decimals` digits behind it, whole numbers have no point ("3", "3.50"). Left out elsewhere. */
  whole_or_fixed: z.literal(true).optional(),
  min: z.number(),
  max: z.number(),
});
export type NumberFormat = z.infer<typeof numberFormatSchema>;

/** How a number below zero is told: "-12", "−12" (U+2212), "(12)", "12-". */
export const NEGATIVES = ['minus', 'typographic', 'parentheses', 'trailing'] as const;

/** What a date or time counts since 1970-01-01 00:00 of its own clock. */
export const TIME_UNITS = ['month', 'day', 'minute', 'second', 'millisecond'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

export const dressSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plain'), format: numberFormatSchema }),
  z.object({
    kind: z.literal('decorated'),
    /** "$", "EUR ", "" … */
    prefix: z.string(),
    /** " %", " kg", "" … */
    suffix: z.string(),
    /** Between groups of three digits; '' where digits are not grouped. */
    thousands: z.string(),
    /** False where groups are read, but most of the numbers that could have them are written without. Left out elsewhere. */
    grouped: z.literal(false).optional(),
    decimal: z.enum(['.', ',']),
    negative: z.enum(NEGATIVES),
    /** The sign, or the parentheses, stand outside of prefix and suffix: "-$3", "($3)"; else inside: "$-3". */
    signOutside: z.boolean(),
    /** Numbers above zero have a "+". */
    plus: z.boolean(),
    /** Digits that the whole part has at least, zeros before them: 5 for "00123"; 0 where there are none. */
    width: z.int(),
    /** The suffix says percent. The number is as written: 12 for "12 %". */
    percent: z.boolean(),
    /** Of the numbers without their dress. */
    format: numberFormatSchema,
  }),
  z.object({
    kind: z.literal('time'),
    /** Name of the form, such as "YYYY-MM-DD hh:mm:ss" or "Mon-YY". */
    pattern: z.string(),
    unit: z.enum(TIME_UNITS),
    /** "Z", "+01:00" …, as the cells have it; the number is the clock's there. Null where the cells name none. */
    zone: z.string().nullable(),
    /** No cell tells whether the day or the month stands first. Left out where one does. */
    ambiguous: z.literal(true).optional(),
    /** Of the numbers of `unit`s since 1970: whole, from the earliest to the latest. */
    format: numberFormatSchema,
  }),
]);
export type Dress = z.infer<typeof dressSchema>;
export type PlainDress = Extract<Dress, { kind: 'plain' }>;
export type DecoratedDress = Extract<Dress, { kind: 'decorated' }>;
export type TimeDress = Extract<Dress, { kind: 'time' }>;

/** The number that a cell is: a time as the number of `unit`s since 1970. Undefined where the text is not of the dress. */
export function undress(text: string, dress: Dress): number | undefined {
  if (dress.kind === 'plain') return parseNumber(text);
  return dress.kind === 'time' ? undressTime(text, dress) : undressNumber(text, dress);
}

/** The text of a number in the dress, moved into the format's bounds; '' for NaN, which stands for a missing cell. */
export function redress(value: number, dress: Dress): string {
  if (dress.kind === 'plain') return formatNumber(value, dress.format);
  return dress.kind === 'time' ? redressTime(value, dress) : redressNumber(value, dress);
}

/** The number of a cell as a plain decimal text; undefined where the text is not of the dress. */
export function plainText(text: string, dress: Dress): string | undefined {
  if (dress.kind === 'plain') return text;
  if (dress.kind === 'decorated') return plainNumber(text, dress);
  const value = undressTime(text, dress);
  return value === undefined ? undefined : String(value);
}

/** Texts that are looked at, at most. */
const MOST_TEXTS = 5000;
const GLANCE = 50;
const LONGEST = 48;

/**
 * The dress that at least nine in ten of the texts have (19 in 20 for times); undefined where they have none in common.
 * `texts`: distinct, none of them missing. The format is that of the given texts.
 */
export function learnDress(texts: readonly string[]): Dress | undefined {
  const some = spread(texts, MOST_TEXTS);
  const glance = spread(some, GLANCE);
  const short = glance.filter((text) => text.length <= LONGEST && /\d/.test(text));
  if (texts.length === 0 || short.length < DRESS_SHARE * glance.length) return undefined;
  const time = learnTime(some);
  if (time) {
    const format = learnFormat(texts.map((text) => String(undressTime(text, time) ?? '')));
    return format && { ...time, format };
  }
  const plain = learnPlain(texts);
  if (plain?.kind === 'plain') return learnRare(texts, plain) ?? plain;
  return plain ?? withFormatOf(texts, learnDecorated(some));
}

function withFormatOf(texts: readonly string[], dress: DecoratedDress | undefined): Dress | undefined {
  const format = dress && learnFormat(texts.flatMap((text) => plainNumber(text, dress) ?? []));
  return format && { ...dress, format };
}

/** A decoration that only a few texts need ("1,204" among hundreds, "(12)" among gains), where all others are read and written the same in it, groups aside. */
function learnRare(texts: readonly string[], plain: PlainDress): Dress | undefined {
  if (texts.every((text) => undress(text, plain) !== undefined)) return undefined;
  const rare = learnDecorated(texts);
  if (!rare) return undefined;
  const ungrouped: DecoratedDress = { ...rare, grouped: false };
  let gained = 0;
  for (const text of texts) {
    const [before, after] = [undress(text, plain), undress(text, rare)];
    if (before === undefined) gained += after === undefined ? 0 : 1;
    else if (before !== after || redress(after, ungrouped) !== redress(before, plain)) return undefined;
  }
  return gained > 0 ? rare : undefined;
}

function learnPlain(texts: readonly string[]): Dress | undefined {
  const numbers = texts.filter((text) => parseNumber(text) !== undefined);
  if (numbers.length < DRESS_SHARE * texts.length) return undefined;
  const format = learnFormat(numbers);
  const hasLeadingZeros = numbers.some((text) => /^\s*[+-]?0\d/.test(text));
  const hasPlus = numbers.some((text) => /^\s*\+/.test(text));
  return (hasLeadingZeros || hasPlus ? learnDecorated(texts) : undefined) ?? (format && { kind: 'plain', format });
}

/** At most `most` of the items, evenly spread over all. */
function spread(items: readonly string[], most: number): readonly string[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]!);
}
