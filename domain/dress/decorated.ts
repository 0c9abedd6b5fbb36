/** Numbers with something around or between their digits: "$1,204.50", "12 %", "1.204,50", "(12)", "00123". */
import { formatNumber, parseNumber } from '../table/numberFormat.ts';
import type { DecoratedDress } from './dress.ts';

export const TYPOGRAPHIC_MINUS = '\u2212';

/** The cell as a plain decimal number, "-1204.50" say; undefined where it is not of the dress. */
export function plainNumber(text: string, dress: DecoratedDress): string | undefined {
  let rest = text.trim();
  const outside = withoutSign(rest, dress);
  if (outside) rest = outside.rest;
  if (!rest.startsWith(dress.prefix) || !rest.endsWith(dress.suffix)) return undefined;
  if (rest.length <= dress.prefix.length + dress.suffix.length) return undefined;
  rest = rest.slice(dress.prefix.length, rest.length - dress.suffix.length);
  const inside = outside ? undefined : withoutSign(rest, dress);
  if (inside) rest = inside.rest;
  const digits = ungrouped(rest, dress);
  if (digits === undefined) return undefined;
  return (outside ?? inside)?.isNegative ? `-${digits}` : digits;
}

/** Exact on cells that are written as the dress says. */
export function undressNumber(text: string, dress: DecoratedDress): number | undefined {
  const plain = plainNumber(text, dress);
  return plain === undefined ? undefined : parseNumber(plain);
}

export function redressNumber(value: number, dress: DecoratedDress): string {
  if (Number.isNaN(value)) return '';
  const plain = formatNumber(value, dress.format);
  const isNegative = plain.startsWith('-');
  const [whole = '', fraction] = (isNegative ? plain.slice(1) : plain).split('.');
  const digits = grouped(whole.padStart(dress.width, '0'), dress.thousands);
  const number = fraction === undefined ? digits : `${digits}${dress.decimal}${fraction}`;
  const sign = (body: string): string => signed(body, isNegative, value, dress);
  return dress.signOutside
    ? sign(`${dress.prefix}${number}${dress.suffix}`)
    : `${dress.prefix}${sign(number)}${dress.suffix}`;
}

function signed(body: string, isNegative: boolean, value: number, { negative, plus }: DecoratedDress): string {
  if (!isNegative) return plus && value > 0 ? `+${body}` : body;
  if (negative === 'parentheses') return `(${body})`;
  if (negative === 'trailing') return `${body}-`;
  return negative === 'typographic' ? `${TYPOGRAPHIC_MINUS}${body}` : `-${body}`;
}

/** The text without its sign or parentheses; undefined where it has none. */
function withoutSign(text: string, { negative }: DecoratedDress): { rest: string; isNegative: boolean } | undefined {
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

/** Digits with a point at most; undefined where the text is more than digits, groups of three and a decimal mark. */
function ungrouped(text: string, { thousands, decimal }: DecoratedDress): string | undefined {
  const at = text.lastIndexOf(decimal);
  const whole = at < 0 ? text : text.slice(0, at);
  const fraction = at < 0 ? '' : text.slice(at + 1);
  if (at >= 0 && !/^\d+$/.test(fraction)) return undefined;
  const digits = whole.includes(thousands) && thousands !== '' ? joined(whole.split(thousands)) : whole;
  if (digits === undefined || !(/^\d+$/.test(digits) || (digits === '' && at >= 0))) return undefined;
  return at < 0 ? digits : `${digits}.${fraction}`;
}

function joined(groups: readonly string[]): string | undefined {
  const [first = '', ...others] = groups;
  const isGrouped = first.length > 0 && first.length <= 3 && others.every((group) => group.length === 3);
  return isGrouped ? groups.join('') : undefined;
}

const grouped = (whole: string, thousands: string): string =>
  thousands === '' ? whole : whole.replace(/\B(?=(\d{3})+$)/g, thousands);
