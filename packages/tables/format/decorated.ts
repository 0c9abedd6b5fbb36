/** "$1,204.50", "12 %", "1.204,50", "(12)", "00123". */
import type { DecoratedFormat } from '../../contract/columns.ts';
import { tally } from '../../numerics/tally.ts';
import { formatNumber, inferFormat, parseNumber } from './number.ts';

const TYPOGRAPHIC_MINUS = '\u2212';

/** Plain decimal such as "-1204.50"; undefined for a mismatch. */
export function plainNumber(text: string, format: DecoratedFormat): string | undefined {
  let rest = text.trim();
  const outside = withoutSign(rest, format);
  if (outside) rest = outside.rest;
  if (!rest.startsWith(format.prefix) || !rest.endsWith(format.suffix)) return undefined;
  if (rest.length <= format.prefix.length + format.suffix.length) return undefined;
  rest = rest.slice(format.prefix.length, rest.length - format.suffix.length);
  const inside = outside ? undefined : withoutSign(rest, format);
  if (inside) rest = inside.rest;
  const digits = ungrouped(rest, format);
  if (digits === undefined) return undefined;
  return (outside ?? inside)?.isNegative ? `-${digits}` : digits;
}

export function parseDecorated(text: string, format: DecoratedFormat): number | undefined {
  const plain = plainNumber(text, format);
  return plain === undefined ? undefined : parseNumber(plain);
}

export function formatDecorated(value: number, format: DecoratedFormat): string {
  if (Number.isNaN(value)) return '';
  const plain = formatNumber(value, format.format);
  const isNegative = plain.startsWith('-');
  const [whole = '', fraction] = (isNegative ? plain.slice(1) : plain).split('.');
  const digits = grouped(whole.padStart(format.width, '0'), format.grouped === false ? '' : format.thousands);
  const number = fraction === undefined ? digits : `${digits}${format.decimal}${fraction}`;
  const sign = (body: string): string => signed(body, isNegative, value, format);
  return format.signOutside
    ? sign(`${format.prefix}${number}${format.suffix}`)
    : `${format.prefix}${sign(number)}${format.suffix}`;
}

function signed(body: string, isNegative: boolean, value: number, { negative, plus }: DecoratedFormat): string {
  if (!isNegative) return plus && value > 0 ? `+${body}` : body;
  if (negative === 'parentheses') return `(${body})`;
  if (negative === 'trailing') return `${body}-`;
  return negative === 'typographic' ? `${TYPOGRAPHIC_MINUS}${body}` : `-${body}`;
}

function withoutSign(text: string, { negative }: DecoratedFormat): { rest: string; isNegative: boolean } | undefined {
  const first = text[0];
  if (first === '-' || first === TYPOGRAPHIC_MINUS) return { rest: text.slice(1), isNegative: true };
  if (first === '+') return { rest: text.slice(1), isNegative: false };
  const last = text.at(-1);
  if (negative === 'parentheses' && first === '(' && last === ')') {
    return { rest: text.slice(1, -1), isNegative: true };
  }
  if (negative === 'trailing' && last === '-') return { rest: text.slice(0, -1), isNegative: true };
  return undefined;
}

const ZERO = 0x30;

function ungrouped(text: string, { thousands, decimal }: DecoratedFormat): string | undefined {
  const mark = thousands === '' ? -1 : thousands.charCodeAt(0);
  const point = decimal.charCodeAt(0);
  let groups = 0;
  let decimalAt = -1;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const digit = code - ZERO;
    if (digit >= 0 && digit <= 9) {
      run++;
    } else if (decimalAt >= 0) {
      return undefined;
    } else if (code === point) {
      if (groups > 0 && run !== 3) return undefined;
      decimalAt = at;
      run = 0;
    } else {
      if (code !== mark || run > 3 || run === 0 || (groups > 0 && run !== 3)) return undefined;
      groups++;
      run = 0;
    }
  }
  if (run === 0 || (decimalAt < 0 && groups > 0 && run !== 3)) return undefined;
  const whole = groups > 0 ? text.replaceAll(thousands, '') : text;
  return decimalAt >= 0 && decimal !== '.' ? whole.replace(decimal, '.') : whole;
}

const grouped = (whole: string, thousands: string): string =>
  thousands === '' ? whole : whole.replace(/\B(?=(\d{3})+$)/g, thousands);

const CURRENCY_CODES =
  'USD|EUR|GBP|CHF|JPY|CNY|NOK|SEK|DKK|ISK|PLN|CZK|HUF|RON|TRY|RUB|AUD|CAD|NZD|HKD|SGD|INR|BRL|MXN|ZAR|KRW|THB|Rs\\.?|kr\\.?|Fr\\.?|zł|Kč';
const MONEY = new RegExp(`^\\s?(?:[A-Z]{0,2}\\p{Sc}|${CURRENCY_CODES})\\s?$`, 'u');
const PERCENT = /^\s?(?:%|pct\.?|percent)$/i;

/** Units that may follow without a space. */
const UNITS = new Set(
  (
    'mm cm dm m km in ft yd mi nm um µm μm mg g kg t lb lbs oz ml cl dl l L s sec ms min h hr hrs d yr yrs ' +
    'C F K °C °F ° Hz kHz MHz GHz W kW MW kWh MWh J kJ MJ kcal cal V mV kV mA Ah mAh Pa hPa kPa bar psi ' +
    'B kB KB MB GB TB Mb Gb px pt dB mph kmh km/h m/s m² m2 km² ft² sqft sqm m³ cm³ cc ppm ppb x × k M bn'
  ).split(' '),
);
/** Matches " rooms", " km/h", " years". */
const WORD = /^[\s\u00a0\u202f][\p{L}°µμ%/²³.]{1,12}$/u;

const isMoney = (text: string): boolean => MONEY.test(text);

export const isPercent = (text: string): boolean => PERCENT.test(text);

export const isPrefix = (text: string): boolean => text === '' || isMoney(text);

export const isSuffix = (text: string): boolean =>
  text === '' || isMoney(text) || isPercent(text) || UNITS.has(text.trim()) || WORD.test(text);

export const FORMAT_SHARE = 0.9;

export interface DecoratedNumber {
  prefix: string;
  suffix: string;
  core: string;
  sign: '' | '+' | '-' | 'typographic' | 'parentheses' | 'trailing';
  signOutside: boolean;
}

const SIGN = `[+${TYPOGRAPHIC_MINUS}-]`;
const SHAPE = new RegExp(
  `^(\\()?(${SIGN})?([^\\d()+${TYPOGRAPHIC_MINUS}-]{0,6})(\\()?(${SIGN})?((?:\\d[\\d.,' \\u00a0\\u202f’]*)?[.,]?\\d)(-)?(\\))?([^\\d()-]{0,13})(-)?(\\))?$`,
  'u',
);

/** Group separator and decimal mark, in order of preference. */
const SEPARATORS: readonly (readonly [string, '.' | ','])[] = [
  ['', '.'],
  [',', '.'],
  ['.', ','],
  [' ', ','],
  ['\u00a0', ','],
  ['\u202f', ','],
  ["'", '.'],
  ['’', '.'],
  [' ', '.'],
  ['\u00a0', '.'],
  ['\u202f', '.'],
  ['', ','],
];

/** Undefined if the text is not one number. */
export function takeApart(text: string): DecoratedNumber | undefined {
  const match = SHAPE.exec(text.trim());
  if (!match) return undefined;
  const [, opensOut, signOut, prefix = '', opensIn, signIn, core = '', dashIn, closesIn, suffix = '', dash, closesOut] =
    match;
  const isAround = opensOut !== undefined && (closesOut ?? (suffix === '' ? closesIn : undefined)) !== undefined;
  const opens = opensIn ?? (prefix === '' ? opensOut : undefined);
  const isBetween = !isAround && opens !== undefined && closesIn !== undefined;
  const marks = [opensOut, opensIn, closesIn, closesOut].filter((mark) => mark !== undefined).length;
  if (marks !== (isAround || isBetween ? 2 : 0)) return undefined;
  const isInParentheses = marks > 0;
  const before = signOut ?? signIn;
  const trailing = dashIn !== undefined || dash !== undefined;
  if (Number(isInParentheses) + Number(before !== undefined) + Number(trailing) > 1) return undefined;
  const sign = isInParentheses ? 'parentheses' : trailing ? 'trailing' : signOf(before);
  const signOutside = isAround || signOut !== undefined || dash !== undefined;
  return { prefix, suffix, core, sign, signOutside };
}

const signOf = (mark: string | undefined): '' | '+' | '-' | 'typographic' =>
  mark === '+' || mark === '-' ? mark : mark === TYPOGRAPHIC_MINUS ? 'typographic' : '';

/** Returns the decoration of at least 90 % of the texts, if any. */
export function inferDecorated(texts: readonly string[]): DecoratedFormat | undefined {
  const parts = texts.flatMap((text) => takeApart(text) ?? []);
  if (texts.length === 0 || parts.length < FORMAT_SHARE * texts.length) return undefined;
  const key = mostFrequent(parts.map(({ prefix, suffix }) => JSON.stringify([prefix, suffix])));
  const alike = parts.filter(({ prefix, suffix }) => JSON.stringify([prefix, suffix]) === key);
  const first = alike[0];
  if (!first || alike.length < FORMAT_SHARE * texts.length) return undefined;
  const { prefix, suffix } = first;
  if (!isPrefix(prefix) || !isSuffix(suffix)) return undefined;
  const separators = separatorsOf(
    alike.map(({ core }) => core),
    isMoney(prefix) || isMoney(suffix),
  );
  if (!separators) return undefined;
  const [thousands, decimal] = separators;
  const width = widthOf(alike.map(({ core }) => core));
  const grouping = areMostlyGrouped(alike, thousands) ? {} : { grouped: false as const };
  const format = {
    ...signsOf(alike),
    kind: 'decorated' as const,
    prefix,
    suffix,
    thousands,
    ...grouping,
    decimal,
    width,
  };
  const whole = { ...format, percent: isPercent(suffix), format: NO_FORMAT };
  const isPlain = prefix === '' && suffix === '' && thousands === '' && decimal === '.' && width === 0;
  if (isPlain && !format.plus && format.negative === 'minus') return undefined;
  const numbers = inferFormat(texts.flatMap((text) => plainNumber(text, whole) ?? []));
  return numbers && { ...whole, format: numbers };
}

const NO_FORMAT = { integer: true, decimals: 0, fixed: false, min: 0, max: 0 };

/** The first that fits all texts, else the best. */
function separatorsOf(cores: readonly string[], isMoneyColumn: boolean): readonly [string, '.' | ','] | undefined {
  // Money has two decimals or none, so three digits form a group.
  const pointed = cores.filter((core) => core.includes('.'));
  if (isMoneyColumn && pointed.length > 0 && pointed.every((core) => /^\d{1,3}(\.\d{3})+$/.test(core))) {
    return ['.', ','];
  }
  let best: { pair: readonly [string, '.' | ',']; fit: number } | undefined;
  for (const pair of SEPARATORS) {
    const pattern = patternOf(pair);
    const fit = cores.reduce((count, core) => count + (pattern.test(core) ? 1 : 0), 0);
    if (fit === cores.length) return inUse(pair, cores);
    if (fit > (best?.fit ?? 0)) best = { pair, fit };
  }
  return best && best.fit >= FORMAT_SHARE * cores.length ? inUse(best.pair, cores) : undefined;
}

const inUse = ([thousands, decimal]: readonly [string, '.' | ','], cores: readonly string[]) =>
  [cores.some((core) => core.includes(thousands)) ? thousands : '', decimal] as const;

function areMostlyGrouped(parts: readonly DecoratedNumber[], thousands: string): boolean {
  if (thousands === '') return true;
  const grouped = parts.filter(({ core }) => core.includes(thousands)).length;
  const ungrouped = parts.filter(({ core }) => /^\d{4}/.test(core)).length;
  return ungrouped <= grouped;
}

function patternOf([thousands, decimal]: readonly [string, '.' | ',']): RegExp {
  const fraction = `(?:\\${decimal}\\d+)?`;
  const ungrouped = `\\d*${fraction}`;
  return new RegExp(
    thousands === '' ? `^${ungrouped}$` : `^(?:[1-9]\\d{0,2}(?:[${thousands}]\\d{3})+${fraction}|${ungrouped})$`,
  );
}

function widthOf(cores: readonly string[]): number {
  const width = cores[0]?.length ?? 0;
  const isFixed = width > 1 && cores.every((core) => core.length === width && /^\d+$/.test(core));
  return isFixed && cores.some((core) => core.startsWith('0')) ? width : 0;
}

const showsPosition = ({ sign, prefix, suffix }: DecoratedNumber): boolean =>
  sign === 'parentheses' ? prefix + suffix !== '' : sign === 'trailing' ? suffix !== '' : sign !== '' && prefix !== '';

function signsOf(parts: readonly DecoratedNumber[]): Pick<DecoratedFormat, 'negative' | 'signOutside' | 'plus'> {
  const negatives = parts.filter(({ sign }) => sign !== '' && sign !== '+');
  const positives = parts.filter(({ sign, core }) => sign === '+' || (sign === '' && /[1-9]/.test(core)));
  const plus = positives.filter(({ sign }) => sign === '+').length > 0.5 * positives.length;
  const style = mostFrequent(negatives.map(({ sign }) => sign));
  const negative =
    style === 'parentheses' || style === 'trailing' || style === 'typographic' ? style : ('minus' as const);
  const signed = parts.filter(showsPosition);
  const inside = signed.filter(({ signOutside }) => !signOutside).length;
  return { negative, plus, signOutside: inside <= 0.5 * signed.length };
}

function mostFrequent<T>(items: readonly T[]): T | undefined {
  return [...tally(items)].sort((a, b) => b[1] - a[1])[0]?.[0];
}
