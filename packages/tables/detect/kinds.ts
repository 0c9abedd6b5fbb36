import type { ColumnKind, TimeFormat } from '../../contract/columns.ts';
import { counted, listed, percent, quoted, withCommas } from '../../words/wording.ts';
import { formatCell } from '../format/cellFormat.ts';
import { type DecoratedNumber, isPrefix, isSuffix, takeApart } from '../format/decorated.ts';
import { EXACT_DIGITS } from '../format/number.ts';
import type { Sighting } from '../missing.ts';
import type { ColumnSummary } from '../profile/lookAtCells.ts';

const FORM_SHARE = 0.95;
const LONGEST = 40;

export const isDate: Question = (facts) => {
  if (facts.format?.kind === 'time') return ofOnePattern(facts, facts.format);
  if (facts.isNumber || !facts.lengths || facts.lengths.mean > LONGEST) return undefined;
  if (shareOf(facts.sample, (cell) => /\d/.test(cell)) < FORM_SHARE) return undefined;
  const forms = formsOf(facts);
  const inForm = shareOf(facts.sample, (cell) => forms.some(({ pattern }) => pattern.test(cell.trim())));
  if (inForm < FORM_SHARE) return undefined;
  const names = listed(forms.map(({ name }) => name));
  return {
    kind: 'datetime',
    confidence: inForm === 1 ? 0.9 : 0.8,
    evidence: [
      `${percent(inForm)} of the cells examined are dates or times written as ${names}${example(facts)}`,
      'they have more than one format, so they cannot be modelled as time',
    ],
  };
};

function ofOnePattern(facts: ColumnFacts, format: TimeFormat): Verdict {
  const strays = facts.present - (facts.numbers?.count ?? 0);
  const { min, max } = format.format;
  const isBare = /^[YMDhms]+$/.test(format.pattern);
  return {
    kind: 'datetime',
    confidence: strays > 0 ? 0.85 : isBare ? 0.9 : format.ambiguous ? 0.88 : 0.97,
    evidence: [
      `dates or times written as ${format.pattern}${example(facts)}, from ${formatCell(min, format)} to ${formatCell(max, format)}, measured in ${format.unit}s`,
      ...(format.zone === null ? [] : [`time zone ${quoted(format.zone)}`]),
      ...(format.ambiguous ? ['no cell shows whether the day or the month comes first'] : []),
      ...(strays > 0
        ? [`${counted(strays, 'cell')} in another format, such as ${listed(facts.strays.slice(0, 3).map(shown))}`]
        : []),
    ],
  };
}

/** Most common first; each cell counts once. */
function formsOf(facts: ColumnFacts): DateForm[] {
  const counts = new Map<DateForm, number>();
  let left = facts.sample.map((cell) => cell.trim());
  for (const form of DATE_FORMS) {
    const before = left.length;
    left = left.filter((cell) => !form.pattern.test(cell));
    if (left.length < before) counts.set(form, before - left.length);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([form]) => form);
}

interface DateForm {
  /** YYYY year, MM month, Mon its name, DD day, hh:mm:ss time. */
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

/** A time of day may follow all but the last three. */
const DATE_FORMS: readonly DateForm[] = [
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

/** Matches "id", "host_id", "PassengerId", "rownames". */
const NAMES =
  /(^|[\s_.-])(id|ids|uuid|guid|key|ssn|iban|isbn|ean|sku|rownames?|row_?id|index|unnamed: 0)$|[a-z](Id|ID)$/;
const MIN_DISTINCT = 20;
/** Suffices for an identifier by name, despite repeats. */
const MANY_DISTINCT = 100;
const MOSTLY_DISTINCT = 0.5;
const LONG_NUMBER = 8;
const LONGEST_CODE = 300;

/** Numbers or codes that only identify something. */
export const isIdentifier: Question = (facts) => (facts.isNumber ? numberedIdentifier(facts) : codedIdentifier(facts));

function numberedIdentifier(facts: ColumnFacts): Verdict | undefined {
  const { numbers, lengths, present, distinct, isUnique } = facts;
  // Money, percentages and grouped digits are quantities; postcodes name places.
  const isBare = facts.format?.kind !== 'decorated' || facts.format.width > 0;
  if (!numbers?.format.integer || !lengths || !isBare || (isPlaceName(facts.name) && !isUnique)) return undefined;
  const { min, max } = numbers.format;
  const isNamed = hasIdentifierName(facts.name);
  const isYear = min >= 1500 && max <= 2100;
  const share = `${percent(facts.distinctShare)} of them distinct`;
  if (facts.isRunning && isUnique && !isYear && present > 1 && (isNamed || present >= MIN_DISTINCT)) {
    return identifier(0.98, `whole numbers that increase by one from row to row, from ${min} to ${max}`);
  }
  if (max > Number.MAX_SAFE_INTEGER && lengths.max > EXACT_DIGITS && facts.distinctShare > MOSTLY_DISTINCT) {
    return identifier(0.95, `whole numbers of up to ${lengths.max} digits, ${share}: too long for a quantity`);
  }
  if (isNamed && ((isUnique && present > 1) || (distinct > MANY_DISTINCT && !isYear))) {
    return identifier(0.93, `whole numbers, ${share}, and a column name typical of identifiers`);
  }
  if (facts.leadingZeros > 0 && facts.distinctShare > MOSTLY_DISTINCT && distinct >= MIN_DISTINCT) {
    return identifier(0.85, `numbers written with leading zeros, ${share}`);
  }
  const isFixedWidth = lengths.min === lengths.max && lengths.max >= LONG_NUMBER;
  if (isUnique && isFixedWidth && present >= MIN_DISTINCT && min > 0) {
    return identifier(0.8, `whole numbers of ${lengths.max} digits each, all distinct`);
  }
  return undefined;
}

function codedIdentifier(facts: ColumnFacts): Verdict | undefined {
  const { distinct, present } = facts;
  const isNamed = hasIdentifierName(facts.name);
  if (isNamed && facts.isUnique && present > 1 && shareOf(facts.sample, isOneWord) === 1) {
    return identifier(0.95, 'single words, all distinct, and a column name typical of identifiers');
  }
  if (distinct < MIN_DISTINCT || facts.distinctShare <= MOSTLY_DISTINCT) return undefined;
  const codes = shareOf(facts.sample, isCode);
  if (codes < 0.8) return undefined;
  return identifier(
    facts.distinctShare > 0.95 ? 0.9 : 0.75,
    `codes of letters and digits, addresses or links, ${percent(facts.distinctShare)} of them distinct (${withCommas(distinct)})`,
  );
}

const identifier = (confidence: number, reason: string): Verdict => ({
  kind: 'identifier',
  confidence,
  evidence: [reason],
});

export const hasIdentifierName = (name: string): boolean => NAMES.test(name) || NAMES.test(name.toLowerCase());

/** Matches "zip", "postcode", "fips". */
export const isPlaceName = (name: string): boolean =>
  /(^|[\s_.-])(zip|zip_?codes?|post_?codes?|postal_?codes?|postnr|postnummer|plz|cep|fips|naics|area_?code|country_?code|municipality_?code)$/i.test(
    name.replace(/([a-z])([A-Z])/g, '$1_$2'),
  );

const isOneWord = (cell: string): boolean => !/\s/.test(cell.trim());

/** Accepts "B57 B59", "A/5 21171", UUIDs, addresses and links; rejects "$3.50", "1,204" and "4 rooms near the park". */
export function isCode(cell: string): boolean {
  const text = cell.trim();
  if (text.length > LONGEST_CODE) return false;
  if (/^(https?:\/\/|www\.)\S+$|^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return true;
  if (/[$€£¥%]|^\(?[+-]?\d{1,3}(,\d{3})+/.test(text)) return false;
  const digits = text.replace(/\D/g, '').length;
  return digits >= 0.25 * text.replace(/\s/g, '').length && text.split(/\s+/).length <= 4;
}

const MEASURED_SHARE = 0.9;
const MIN_CELLS = 4;
const FEW = 20;

/** Most frequent first, including ""; [] if the cells are not measurements. */
export function unitsOf(sample: readonly string[]): string[] {
  const parts = sample.flatMap((cell) => takeApart(cell) ?? []).filter(isMeasured);
  if (sample.length < MIN_CELLS || parts.length < MEASURED_SHARE * sample.length) return [];
  const counts = new Map<string, number>();
  for (const { prefix, suffix } of parts) {
    const unit = `${prefix}${suffix}`.trim();
    counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([unit]) => unit);
}

const isMeasured = ({ prefix, suffix }: DecoratedNumber): boolean => isPrefix(prefix) && isSuffix(suffix);

/** Numbers of several units are not comparable. */
export const hasMixedUnits: Question = (facts) => {
  if (facts.isNumber) return undefined;
  const units = unitsOf(facts.sample);
  if (units.length < 2) return undefined;
  const named = listed(
    units.map((unit) => (unit === '' ? 'none' : quoted(unit))),
    5,
  );
  return {
    kind: isList(facts) ? 'categorical' : 'text',
    confidence: 0.7,
    evidence: [
      `numbers with different units (${named})${example(facts)}`,
      `${percent(facts.distinctShare)} of the cells are distinct`,
    ],
  };
};

const isList = ({ distinct, distinctShare }: ColumnFacts): boolean =>
  distinct <= FEW || distinctShare <= MOSTLY_DISTINCT;

export interface ColumnFacts extends ColumnSummary {
  present: number;
  distinctShare: number;
  /** Within the error of estimated counts. */
  isUnique: boolean;
  /** Nearly all cells are numbers but not times. */
  isNumber: boolean;
  /** Nearly all cells share one date or time pattern. */
  isTime: boolean;
  sample: readonly string[];
}

export interface Verdict {
  kind: ColumnKind;
  confidence: number;
  evidence: string[];
}

/** Undefined passes on to the next question. */
export type Question = (facts: ColumnFacts) => Verdict | undefined;

/** Allows for the error of the estimate. */
const ESTIMATED_UNIQUE = 0.98;
const TIME_SHARE = 0.95;

export function factsOf(summary: ColumnSummary, sample: readonly (string | null)[]): ColumnFacts {
  const present = summary.rows - summary.missing;
  const { format, numbers } = summary;
  const wearsTime = format?.kind === 'time';
  const isTime = wearsTime && present > 0 && (numbers?.count ?? 0) >= TIME_SHARE * present;
  const isNumber = !wearsTime && isNumeric(numbers, present);
  const cells = sample.filter((cell) => cell !== null);
  return {
    ...summary,
    // Rare patterns do not count, nor do hexadecimal keys that look like numbers ("1451e217").
    ...((wearsTime && !isTime) || (!isNumber && !isTime && areHexKeys(summary, cells))
      ? { format: null, numbers: null }
      : {}),
    isTime,
    isNumber,
    present,
    distinctShare: present > 0 ? Math.min(1, summary.distinct / present) : 0,
    isUnique: summary.distinct_exact ? summary.distinct === present : summary.distinct > ESTIMATED_UNIQUE * present,
    sample: cells,
  };
}

const HEX_DIGITS = /^[0-9a-f]+$/i;

/** Shorter ones may be numbers with a few letter codes. */
const SHORTEST_HEX = 4;

const areHexKeys = ({ lengths }: ColumnSummary, cells: readonly string[]): boolean =>
  (lengths?.min ?? 0) >= SHORTEST_HEX && lengths?.min === lengths?.max && cells.every((cell) => HEX_DIGITS.test(cell));

export const shown = ({ text, row }: Sighting): string =>
  row > 0 ? `${quoted(text)} (row ${withCommas(row)})` : quoted(text);

export const example = ({ first }: ColumnFacts): string => (first ? `, such as ${shown(first)}` : '');

export const shareOf = (texts: readonly string[], holds: (text: string) => boolean): number =>
  texts.length > 0 ? texts.filter(holds).length / texts.length : 0;

const NUMERIC_SHARE = 0.9;

export const isNumeric = (numbers: { count: number } | null, present: number): boolean =>
  numbers !== null && numbers.count >= NUMERIC_SHARE * present;
