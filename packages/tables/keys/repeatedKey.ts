/** Keys that repeat: values that name a person or a thing in several rows. Known by the values first, by names second. */
import { percent, quoted, withCommas } from '../../words/wording.ts';
import { type ColumnFacts, hasIdentifierName, isCode, isPlaceName, shareOf, type Verdict } from '../detect/kinds.ts';
import { agreementWithin, type SampledCells } from './agreement.ts';
import { inferPattern, type Position, type Shape } from './inferPattern.ts';

/** A column of the row sample, by its index among all. */
export interface KeyTask {
  facts: ColumnFacts;
  /** Names of all columns, and their cells in the row sample. */
  names: readonly string[];
  cells: SampledCells;
  at: number;
}

interface Looked extends KeyTask {
  /** Distinct values of the sample, spaces around them aside. */
  values: readonly string[];
  /** Rows of one key, on average. */
  rowsPerKey: number;
}

const MIN_KEYS = 20;

/**
 * The verdict that the column has keys that repeat, with the reasons; undefined where the values do not show it. Three kinds
 * of values do: those too long or too random to be equal by chance; running numbers whose rows belong together; and whole
 * numbers or codes under a name that identifiers have.
 */
export function repeatedKey(task: KeyTask): Verdict | undefined {
  const { facts } = task;
  if (facts.isUnique || facts.isTime || facts.distinct < MIN_KEYS || facts.distinct >= facts.present) return undefined;
  const values = [...new Set(facts.sample.map((cell) => cell.trim()))];
  if (values.length < MIN_KEYS) return undefined;
  const looked = { ...task, values, rowsPerKey: facts.present / facts.distinct };
  const found = longNumbers(looked) ?? randomCodes(looked) ?? namedKeys(looked) ?? runningNumbers(looked);
  if (!found) return undefined;
  const repeated = `${withCommas(facts.distinct)} keys in ${withCommas(facts.present)} cells`;
  return { kind: 'identifier', confidence: found.confidence, evidence: [...found.reasons, repeated] };
}

interface Found {
  confidence: number;
  reasons: string[];
}

// Values that are never equal by chance.

/** Digits from which on two quantities are hardly ever equal, unless they are rounded. */
const LONG = 8;
/** Share of the cells that repeat another one, at least: of amounts as long, hardly any do. */
const REPEATING = 0.05;
const MIN_REPEATS = 10;
/** The most frequent value of keys has no larger share of the cells. */
const MAX_SHARE = 0.2;

function longNumbers({ facts, values }: Looked): Found | undefined {
  const digits = wholeNumbers(values);
  if (!digits || isPlaceName(facts.name) || medianLength(digits) < LONG || areTimes(digits)) return undefined;
  const repeats = facts.present - facts.distinct;
  const isFixed = facts.lengths?.min === facts.lengths?.max;
  const areRepeated = repeats >= Math.max(MIN_REPEATS, REPEATING * facts.present);
  if ((!areRepeated && !isFixed) || areHeaped(facts) || areRounded(digits)) return undefined;
  const longest = digits.reduce((most, { length }) => Math.max(most, length), 0);
  return {
    confidence: 0.95,
    reasons: [`whole numbers of up to ${longest} digits that are not rounded: too long to be equal by chance`],
  };
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** One word, or digits in groups such as a telephone number's. */
const CODE = /^(?:[\p{L}\d_:/#+-]+|\+?\(?\d[\d ()/-]+)$/u;
const FORM_SHARE = 0.95;
/** Shapes that nearly all codes have, and codes that show a shape. */
const MAX_SHAPES = 3;
const MIN_MEMBERS = 20;
const SHAPED = 0.9;
/** How many times as many codes a form has room for as there are. */
const ROOM = 1000;
/** Characters that a place tells apart, at least, to count. */
const MIN_CHARACTERS = 6;
/** Share of codes that have a digit: words have none. */
const WITH_DIGIT = 0.6;

function randomCodes({ facts, values }: Looked): Found | undefined {
  if (facts.isNumber || areHeaped(facts)) return undefined;
  if (shareOf(values, (text) => EMAIL.test(text)) >= FORM_SHARE) {
    return { confidence: 0.95, reasons: ['e-mail addresses'] };
  }
  if (shareOf(values, (text) => CODE.test(text)) < FORM_SHARE) return undefined;
  if (shareOf(values, (text) => /\d/.test(text)) < WITH_DIGIT) return undefined;
  const { shapes } = inferPattern(values);
  const main = shapes.slice(0, MAX_SHAPES).filter(({ count }) => count >= MIN_MEMBERS);
  const members = main.reduce((sum, { count }) => sum + count, 0);
  if (members < SHAPED * values.length) return undefined;
  // Codes of several forms have digits in plenty; a single form, as of hexadecimal digits, says enough.
  if (shapes.length > 1 && shareOf(values, isCode) < FORM_SHARE) return undefined;
  const isSparse = (shape: Shape) => roomOf(shape) >= (ROOM * facts.distinct * shape.count) / members;
  if (!main.every(isSparse)) return undefined;
  return { confidence: 0.9, reasons: ['codes of one form that has room for far more than there are'] };
}

/** How many codes a shape has room for: the product over its places of the characters that they tell apart. */
const roomOf = ({ positions }: Shape): number =>
  positions.map(charactersOf).reduce((room, count) => (count < MIN_CHARACTERS ? room : room * count), 1);

/** As many characters of equal frequency as have the entropy of the place (its perplexity). */
function charactersOf({ counts }: Position): number {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return Math.exp(-counts.reduce((sum, count) => sum + (count / all) * Math.log(count / all), 0));
}

// Whole numbers and codes under a name that identifiers have.

/** Keys from which on the name is enough, and rows of one key, on average, at most: of more it would be a category. */
const MANY_KEYS = 100;
const MAX_ROWS_PER_KEY = 50;
const FEW_ROWS_PER_KEY = 100;

function namedKeys(looked: Looked): Found | undefined {
  const { facts, values, rowsPerKey } = looked;
  const isHinted = hasIdentifierName(facts.name) || hasEntityName(facts.name);
  if (!isHinted || isPlaceName(facts.name) || areHeaped(facts)) return undefined;
  const digits = wholeNumbers(values);
  if (digits ? areYears(digits) || areTimes(digits) : shareOf(values, isOneWord) < 1 || facts.isNumber)
    return undefined;
  const name = 'a column name typical of identifiers';
  const what = digits ? 'whole numbers' : 'single words';
  if (facts.distinct > MANY_KEYS && rowsPerKey <= FEW_ROWS_PER_KEY) {
    return { confidence: 0.93, reasons: [`${what}, and ${name}`] };
  }
  const agreement = rowsPerKey <= MAX_ROWS_PER_KEY ? agreementOf(looked) : undefined;
  return agreement === undefined ? undefined : { confidence: 0.9, reasons: [`${what}, and ${name}`, agreement] };
}

/** "customer_no", "Account Number", "invoiceNo". */
const hasEntityName = (name: string): boolean =>
  /(^|[\s_.-])(customer|client|patient|account|user|member|employee|student|person|household|subject|device|card|order|invoice|booking|policy|claim|case)[\s_.-]?(no|nr|num|number|code|key|ref|hash)\.?$/i.test(
    name.replace(/([a-z])([A-Z])/g, '$1_$2'),
  );

const isOneWord = (text: string): boolean => !/\s/.test(text);

// Running numbers, bare or behind a constant prefix.

/** Digits of bare numbers, at least, unless there are so many: shorter ones are ages, counts, days of a year. */
const MIN_DIGITS = 5;
const MANY_SHORT = 1000;
/** Digits behind a prefix, at least, where there are few keys or no other column shows that rows belong together. */
const FILLED = 4;
/** Largest distance of the values' distribution from an even one (Kolmogorov–Smirnov): quantities crowd somewhere. */
const EVEN = 0.12;

function runningNumbers(looked: Looked): Found | undefined {
  const { facts, values } = looked;
  if (isPlaceName(facts.name) || areHeaped(facts)) return undefined;
  const digits = wholeNumbers(values);
  if (!digits) return numbersBehindPrefix(looked);
  const isShort = medianLength(digits) < MIN_DIGITS && facts.distinct < MANY_SHORT;
  if (isShort || facts.distinct < MANY_KEYS || startsWithZero(digits) || !areRunning(digits)) return undefined;
  const agreement = areYears(digits) || areTimes(digits) ? undefined : agreementOf(looked);
  return agreement === undefined ? undefined : { confidence: 0.85, reasons: [`whole numbers, ${RUNNING}`, agreement] };
}

const RUNNING = 'evenly spread and not rounded, as running numbers are';

const areRunning = (digits: readonly string[]): boolean => !areRounded(digits) && distanceFromEven(digits) <= EVEN;

function numbersBehindPrefix(looked: Looked): Found | undefined {
  const { facts, values, rowsPerKey } = looked;
  const numbered = behindPrefix(values);
  if (!numbered || rowsPerKey > MAX_ROWS_PER_KEY) return undefined;
  const { prefix, digits } = numbered;
  const reason = `whole numbers behind ${quoted(prefix)}`;
  const isFilled = medianLength(digits) >= FILLED;
  const agreement = isFilled || facts.distinct >= MANY_KEYS ? agreementOf(looked) : undefined;
  if (agreement !== undefined) return { confidence: 0.85, reasons: [reason, agreement] };
  if (facts.distinct < MANY_KEYS || !isFilled || !areRunning(digits)) return undefined;
  return { confidence: 0.8, reasons: [`${reason}, ${RUNNING}`] };
}

function agreementOf({ cells, at, names }: Looked): string | undefined {
  const found = agreementWithin(cells, at);
  if (!found) return undefined;
  const { column, within, between } = found;
  return `rows of one value have the same ${quoted(names[column] ?? '')} in ${percent(within)} of pairs, rows of neighbouring values in ${percent(between)}`;
}

// What digits say.

const WHOLE = /^(\d{1,100})(?:\.0+)?$/;
/** Some exports have a few broken cells. */
const WHOLE_SHARE = 0.98;

/** The digits of the values that are whole numbers ("17850", "17850.0"), where nearly all of them are. */
function wholeNumbers(values: readonly string[]): string[] | undefined {
  const digits = values.flatMap((text) => WHOLE.exec(text)?.[1] ?? []);
  return digits.length >= WHOLE_SHARE * values.length ? digits : undefined;
}

/** The digits behind a prefix without digits that all values have. */
function behindPrefix(values: readonly string[]): { prefix: string; digits: string[] } | undefined {
  const prefix = /^\D{1,20}/.exec(values[0] ?? '')?.[0];
  if (prefix === undefined) return undefined;
  const digits = values.map((text) => (text.startsWith(prefix) ? text.slice(prefix.length) : ''));
  return digits.every((text) => /^\d{1,100}$/.test(text)) ? { prefix, digits } : undefined;
}

function medianLength(digits: readonly string[]): number {
  const lengths = digits.map(({ length }) => length).sort((a, b) => a - b);
  return lengths[lengths.length >> 1] ?? 0;
}

const startsWithZero = (digits: readonly string[]): boolean =>
  digits.some((text) => text.length > 1 && text.startsWith('0'));

/** One value has so many cells that it means something: zero, "unknown". */
const areHeaped = ({ top_levels, present }: ColumnFacts): boolean => (top_levels[0]?.[1] ?? 0) > MAX_SHARE * present;

/** Places from the end that are looked at, and what a digit may have more than its tenth. */
const PLACES = [1, 2];
const EXCESS = 0.05;
const ERRORS = 4;

/** A digit is too frequent in one of the last places, as where people round or count in fives. */
function areRounded(digits: readonly string[]): boolean {
  return PLACES.some((place) => {
    const long = digits.filter((text) => text.length > place);
    const counts = new Array<number>(10).fill(0);
    for (const text of long) counts[Number(text[text.length - place])]!++;
    const excess = Math.max(EXCESS, ERRORS * Math.sqrt(0.09 / long.length));
    return Math.max(...counts) > (0.1 + excess) * long.length;
  });
}

/** Kolmogorov–Smirnov distance of the numbers from an even spread between the least and the greatest. */
function distanceFromEven(digits: readonly string[]): number {
  const numbers = Float64Array.from(digits, Number).sort();
  const [least, greatest] = [numbers[0]!, numbers.at(-1)!];
  if (!(greatest > least)) return 1;
  return numbers.reduce((most, number, i) => {
    const even = (number - least) / (greatest - least);
    return Math.max(most, Math.abs((i + 1) / numbers.length - even), Math.abs(i / numbers.length - even));
  }, 0);
}

const areYears = (digits: readonly string[]): boolean =>
  digits.every((text) => Number(text) >= 1500 && Number(text) <= 2100);

/** Days since 1900, seconds and milliseconds since 1970, as they are around our time. */
const CLOCKS = [
  [20_000, 60_000],
  [5e8, 2.5e9],
  [5e11, 2.5e12],
] as const;
/** "202431" (week), "2024031" (day of the year), "2024033115", "20240331154500". */
const CALENDAR =
  /^(?:(?:19|20)\d\d(?:[0-4]\d|5[0-3])|(?:19|20)\d\d[0-3]\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d\d){0,4})$/;

const areTimes = (digits: readonly string[]): boolean =>
  shareOf(digits, (text) => CALENDAR.test(text)) >= FORM_SHARE ||
  CLOCKS.some(([from, to]) => shareOf(digits, (text) => Number(text) >= from && Number(text) <= to) >= FORM_SHARE);
