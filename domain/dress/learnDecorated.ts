/** Which decoration the numbers of a column have. */
import { learnFormat } from '../table/numberFormat.ts';
import { plainNumber, TYPOGRAPHIC_MINUS } from './decorated.ts';
import type { DecoratedDress } from './dress.ts';
import { isMoney, isPercent, isPrefix, isSuffix } from './units.ts';

/** Share of the texts that a dress has to fit. */
export const DRESS_SHARE = 0.9;

/** A text that is a number with something around it, in its parts. */
export interface DressedNumber {
  prefix: string;
  suffix: string;
  /** Digits with what stands between them. */
  core: string;
  sign: '' | '+' | '-' | 'typographic' | 'parentheses' | 'trailing';
  signOutside: boolean;
}

const SIGN = `[+${TYPOGRAPHIC_MINUS}-]`;
const SHAPE = new RegExp(
  `^(\\()?(${SIGN})?([^\\d()+${TYPOGRAPHIC_MINUS}-]{0,6})(\\()?(${SIGN})?((?:\\d[\\d.,' \\u00a0\\u202f’]*)?[.,]?\\d)(-)?(\\))?([^\\d()-]{0,13})(-)?(\\))?$`,
  'u',
);

/** What stands between groups of three digits, and before decimals; what fits all texts first in this order is taken. */
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

/** The parts of a text that is one number, whatever stands around it; undefined where it is not. */
export function takeApart(text: string): DressedNumber | undefined {
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

/** The decoration that at least nine in ten of the texts share; undefined where there is none, or none to speak of. */
export function learnDecorated(texts: readonly string[]): DecoratedDress | undefined {
  const parts = texts.flatMap((text) => takeApart(text) ?? []);
  if (texts.length === 0 || parts.length < DRESS_SHARE * texts.length) return undefined;
  const key = mostFrequent(parts.map(({ prefix, suffix }) => JSON.stringify([prefix, suffix])));
  const alike = parts.filter(({ prefix, suffix }) => JSON.stringify([prefix, suffix]) === key);
  const first = alike[0];
  if (!first || alike.length < DRESS_SHARE * texts.length) return undefined;
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
  const dress = {
    ...signsOf(alike),
    kind: 'decorated' as const,
    prefix,
    suffix,
    thousands,
    ...grouping,
    decimal,
    width,
  };
  const whole = { ...dress, percent: isPercent(suffix), format: NO_FORMAT };
  const isPlain = prefix === '' && suffix === '' && thousands === '' && decimal === '.' && width === 0;
  if (isPlain && !dress.plus && dress.negative === 'minus') return undefined;
  const format = learnFormat(texts.flatMap((text) => plainNumber(text, whole) ?? []));
  return format && { ...whole, format };
}

const NO_FORMAT = { integer: true, decimals: 0, fixed: false, min: 0, max: 0 };

/** The first that fits all texts, else the one that fits most of them. */
function separatorsOf(cores: readonly string[], isMoneyColumn: boolean): readonly [string, '.' | ','] | undefined {
  // Money has two decimals or none, so three digits after each point are a group.
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
  return best && best.fit >= DRESS_SHARE * cores.length ? inUse(best.pair, cores) : undefined;
}

/** Without the mark between groups where no number has one. */
const inUse = ([thousands, decimal]: readonly [string, '.' | ','], cores: readonly string[]) =>
  [cores.some((core) => core.includes(thousands)) ? thousands : '', decimal] as const;

/** Of the numbers that could have groups, most have them; or there is no such number. */
function areMostlyGrouped(parts: readonly DressedNumber[], thousands: string): boolean {
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

/** Digits of codes with leading zeros that are all of one length; 0 elsewhere. */
function widthOf(cores: readonly string[]): number {
  const width = cores[0]?.length ?? 0;
  const isFixed = width > 1 && cores.every((core) => core.length === width && /^\d+$/.test(core));
  return isFixed && cores.some((core) => core.startsWith('0')) ? width : 0;
}

/** The sign stands beside a prefix or suffix, on one side of it or the other. */
const tellsPosition = ({ sign, prefix, suffix }: DressedNumber): boolean =>
  sign === 'parentheses' ? prefix + suffix !== '' : sign === 'trailing' ? suffix !== '' : sign !== '' && prefix !== '';

function signsOf(parts: readonly DressedNumber[]): Pick<DecoratedDress, 'negative' | 'signOutside' | 'plus'> {
  const negatives = parts.filter(({ sign }) => sign !== '' && sign !== '+');
  const positives = parts.filter(({ sign, core }) => sign === '+' || (sign === '' && /[1-9]/.test(core)));
  const plus = positives.filter(({ sign }) => sign === '+').length > 0.5 * positives.length;
  const style = mostFrequent(negatives.map(({ sign }) => sign));
  const negative =
    style === 'parentheses' || style === 'trailing' || style === 'typographic' ? style : ('minus' as const);
  const signed = parts.filter(tellsPosition);
  const inside = signed.filter(({ signOutside }) => !signOutside).length;
  return { negative, plus, signOutside: inside <= 0.5 * signed.length };
}

function mostFrequent<T>(items: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
