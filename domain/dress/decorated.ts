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
  const digits = grouped(whole.padStart(dress.width, '0'), dress.grouped === false ? '' : dress.thousands);
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

const ZERO = 0x30;

/** Digits with a point at most; undefined where the text is more than digits, groups of three and a decimal mark. */
function ungrouped(text: string, { thousands, decimal }: DecoratedDress): string | undefined {
  const mark = thousands === '' ? -1 : thousands.charCodeAt(0);
  const point = decimal.charCodeAt(0);
  let groups = 0;
  let decimalAt = -1;
  /** Digits since the last mark. */
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
