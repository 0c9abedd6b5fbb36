/** Detects keys that name a person or thing in several rows, by values first and names second. */
import { percent, quoted, withCommas } from '../../words/wording.ts';
import { type ColumnFacts, hasIdentifierName, isCode, isPlaceName, shareOf, type Verdict } from '../detect/kinds.ts';
import { agreementWithin, type SampledCells } from './agreement.ts';
import { inferPattern, type Position, type Shape } from './inferPattern.ts';

export interface KeyTask {
  facts: ColumnFacts;
  names: readonly string[];
  cells: SampledCells;
  at: number;
}

interface Looked extends KeyTask {
  values: readonly string[];
  rowsPerKey: number;
}

const MIN_KEYS = 20;

/**
 * Accepts values too long or random to coincide; running numbers whose rows belong together; and integers or codes with
 * an identifier's name.
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

/** Number of digits from which unrounded quantities hardly ever coincide. */
const LONG = 8;
/** Minimum share of repeated cells; long amounts hardly repeat. */
const REPEATING = 0.05;
const MIN_REPEATS = 10;
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
/** One word or groups of digits, such as a telephone number. */
const CODE = /^(?:[\p{L}\d_:/#+-]+|\+?\(?\d[\d ()/-]+)$/u;
const FORM_SHARE = 0.95;
const MAX_SHAPES = 3;
const MIN_MEMBERS = 20;
const SHAPED = 0.9;
/** Minimum ratio of possible to existing codes. */
const ROOM = 1000;
/** Minimum distinct characters for a place to count. */
const MIN_CHARACTERS = 6;
/** Minimum share of codes with a digit: words have none. */
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
  // Codes of several forms need digits; a single form suffices.
  if (shapes.length > 1 && shareOf(values, isCode) < FORM_SHARE) return undefined;
  const isSparse = (shape: Shape) => roomOf(shape) >= (ROOM * facts.distinct * shape.count) / members;
  if (!main.every(isSparse)) return undefined;
  return { confidence: 0.9, reasons: ['codes of one form that has room for far more than there are'] };
}

const roomOf = ({ positions }: Shape): number =>
  positions.map(charactersOf).reduce((room, count) => (count < MIN_CHARACTERS ? room : room * count), 1);

function charactersOf({ counts }: Position): number {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return Math.exp(-counts.reduce((sum, count) => sum + (count / all) * Math.log(count / all), 0));
}

/** The name suffices for many keys; many rows per key suggest a category. */
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

/** Matches "customer_no", "Account Number", "invoiceNo". */
const hasEntityName = (name: string): boolean =>
  /(^|[\s_.-])(customer|client|patient|account|user|member|employee|student|person|household|subject|device|card|order|invoice|booking|policy|claim|case)[\s_.-]?(no|nr|num|number|code|key|ref|hash)\.?$/i.test(
    name.replace(/([a-z])([A-Z])/g, '$1_$2'),
  );

const isOneWord = (text: string): boolean => !/\s/.test(text);

/** Shorter bare numbers may be ages, counts or days of a year, unless there are many. */
const MIN_DIGITS = 5;
const MANY_SHORT = 1000;
const FILLED = 4;
/** Maximum Kolmogorov–Smirnov distance from uniform: quantities cluster. */
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

const WHOLE = /^(\d{1,100})(?:\.0+)?$/;
/** Some exports have a few broken cells. */
const WHOLE_SHARE = 0.98;

function wholeNumbers(values: readonly string[]): string[] | undefined {
  const digits = values.flatMap((text) => WHOLE.exec(text)?.[1] ?? []);
  return digits.length >= WHOLE_SHARE * values.length ? digits : undefined;
}

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

/** A very frequent value has a meaning: zero, "unknown". */
const areHeaped = ({ top_levels, present }: ColumnFacts): boolean => (top_levels[0]?.[1] ?? 0) > MAX_SHARE * present;

/** Places from the end, and maximum excess over a tenth. */
const PLACES = [1, 2];
const EXCESS = 0.05;
const ERRORS = 4;

function areRounded(digits: readonly string[]): boolean {
  return PLACES.some((place) => {
    const long = digits.filter((text) => text.length > place);
    const counts = new Array<number>(10).fill(0);
    for (const text of long) counts[Number(text[text.length - place])]!++;
    const excess = Math.max(EXCESS, ERRORS * Math.sqrt(0.09 / long.length));
    return Math.max(...counts) > (0.1 + excess) * long.length;
  });
}

/** Kolmogorov–Smirnov distance from uniform. */
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

/** Present-day values in days since 1900, seconds and milliseconds since 1970. */
const CLOCKS = [
  [20_000, 60_000],
  [5e8, 2.5e9],
  [5e11, 2.5e12],
] as const;
/** Matches "202431" (week), "2024031" (day of the year), "2024033115". */
const CALENDAR =
  /^(?:(?:19|20)\d\d(?:[0-4]\d|5[0-3])|(?:19|20)\d\d[0-3]\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d\d){0,4})$/;

const areTimes = (digits: readonly string[]): boolean =>
  shareOf(digits, (text) => CALENDAR.test(text)) >= FORM_SHARE ||
  CLOCKS.some(([from, to]) => shareOf(digits, (text) => Number(text) >= from && Number(text) <= to) >= FORM_SHARE);
