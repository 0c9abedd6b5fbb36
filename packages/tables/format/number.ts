import type { NumberFormat } from '../../contract/columns.ts';

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const LAST_SPACE = 0x20;

/** Digits that a double always holds exactly. */
export const EXACT_DIGITS = 15;
/** Maximum decimals of a double; bounds "0e-999999999999". */
const MAX_DECIMALS = 1074;
export const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);

/** Describes the last scanned text. Reused to avoid allocation. */
export class NumberScanner {
  value = 0;
  /** 2 for "1.50", 3 for "1e-3". */
  decimals = 0;
  hasPoint = false;
  hasExponent = false;
  hasLeadingZero = false;

  take(value: number, decimals = 0, hasPoint = false, hasLeadingZero = false): true {
    this.value = value;
    this.decimals = decimals;
    this.hasPoint = hasPoint;
    this.hasExponent = false;
    this.hasLeadingZero = hasLeadingZero;
    return true;
  }

  /** Accepts decimals, possibly in spaces. Rejects overflow and underflow. */
  scan(text: string): boolean {
    const end = endOfText(text);
    let at = startOfText(text, end);
    const begin = at;
    const sign = text.charCodeAt(at);
    if (sign === MINUS || sign === PLUS) at++;
    const firstDigit = at;
    let mantissa = 0;
    for (let code = text.charCodeAt(at); at < end && isDigit(code); code = text.charCodeAt(++at)) {
      mantissa = mantissa * 10 + (code - ZERO);
    }
    const wholeDigits = at - firstDigit;
    let fractionDigits = 0;
    const hasPoint = at < end && text.charCodeAt(at) === POINT;
    if (hasPoint) {
      const firstFraction = ++at;
      for (let code = text.charCodeAt(at); at < end && isDigit(code); code = text.charCodeAt(++at)) {
        mantissa = mantissa * 10 + (code - ZERO);
      }
      fractionDigits = at - firstFraction;
    }
    if (wholeDigits + fractionDigits === 0) return false;

    const exponentEnd = at < end ? endOfExponent(text, at, end) : at;
    if (exponentEnd !== end) return false;
    const hasExponent = exponentEnd > at;
    if (hasExponent || wholeDigits + fractionDigits > EXACT_DIGITS) {
      const value = Number(text.slice(begin, end));
      if (!Number.isFinite(value) || (value === 0 && mantissa > 0)) return false;
      this.value = value;
    } else {
      // Both operands are exact, so the quotient is correctly rounded.
      const magnitude = fractionDigits > 0 ? mantissa / POWERS_OF_TEN[fractionDigits]! : mantissa;
      this.value = sign === MINUS ? -magnitude : magnitude;
    }
    const exponent = hasExponent ? Number(text.slice(at + 1, end)) : 0;
    this.decimals = Math.min(MAX_DECIMALS, Math.max(0, fractionDigits - exponent));
    this.hasPoint = hasPoint;
    this.hasExponent = hasExponent;
    this.hasLeadingZero = wholeDigits > 1 && text.charCodeAt(firstDigit) === ZERO;
    return true;
  }
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

function startOfText(text: string, end: number): number {
  let at = 0;
  while (at < end && text.charCodeAt(at) <= LAST_SPACE) at++;
  return at;
}

function endOfText(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) <= LAST_SPACE) end--;
  return end;
}

function endOfExponent(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at);
  if (mark !== LOWER_E && mark !== UPPER_E) return at;
  const sign = text.charCodeAt(at + 1);
  const firstDigit = sign === MINUS || sign === PLUS ? at + 2 : at + 1;
  let last = firstDigit;
  while (last < end && isDigit(text.charCodeAt(last))) last++;
  return last > firstDigit ? last : at;
}

/** Further digits are floating-point noise. */
const NOISE_DECIMALS = 15;

/** Money has all its decimals or none. */
const MONEY_DECIMALS = 2;
const WHOLE = 1e-15;

const scanner = new NumberScanner();

/** Parses plain or scientific decimals. Rejects hexadecimal, "Infinity", digit groups and overflow. */
export function parseNumber(text: string): number | undefined {
  return scanner.scan(text) ? scanner.value : undefined;
}

export class FormatInference {
  private integer = true;
  private plain = true;
  private fewestDecimals = Number.POSITIVE_INFINITY;
  private mostDecimals = 0;
  private fewestBehindPoint = Number.POSITIVE_INFINITY;
  private hasTrailingZero = false;
  private min = Number.POSITIVE_INFINITY;
  private max = Number.NEGATIVE_INFINITY;

  add(number: NumberScanner): void {
    const { value, decimals } = number;
    if (number.hasPoint || decimals > 0) this.integer = false;
    if (number.hasExponent) this.plain = false;
    if (number.hasPoint) this.addPointed(value, decimals);
    if (decimals < this.fewestDecimals) this.fewestDecimals = decimals;
    if (decimals > this.mostDecimals) this.mostDecimals = decimals;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  private addPointed(value: number, decimals: number): void {
    if (decimals < this.fewestBehindPoint) this.fewestBehindPoint = decimals;
    if (this.hasTrailingZero || decimals === 0 || decimals > EXACT_DIGITS) return;
    const scaled = value * POWERS_OF_TEN[decimals - 1]!;
    this.hasTrailingZero = Math.abs(scaled - Math.round(scaled)) < WHOLE * Math.abs(scaled);
  }

  format(): NumberFormat | undefined {
    if (this.min > this.max) return undefined;
    const { mostDecimals, fewestDecimals, fewestBehindPoint } = this;
    const isMoney = this.plain && mostDecimals === MONEY_DECIMALS && fewestBehindPoint === mostDecimals;
    return {
      integer: this.integer,
      decimals: mostDecimals,
      fixed: this.plain && mostDecimals > 0 && fewestDecimals === mostDecimals,
      ...(isMoney && fewestDecimals === 0 && this.hasTrailingZero ? { whole_or_fixed: true } : {}),
      min: this.min,
      max: this.max,
    };
  }
}

/** Undefined if no text is a number. */
export function inferFormat(texts: Iterable<string>): NumberFormat | undefined {
  const inference = new FormatInference();
  for (const text of texts) if (scanner.scan(text)) inference.add(scanner);
  return inference.format();
}

/** Clamps and rounds, with trailing zeros if the column has them. NaN (missing) gives ''. */
export function formatNumber(value: number, format: NumberFormat): string {
  if (Number.isNaN(value)) return '';
  const bounded = Math.min(Math.max(value, format.min), format.max);
  if (format.integer) return withoutNegativeZero(String(Math.round(bounded)));
  if (format.fixed && format.decimals < NOISE_DECIMALS) return withoutNegativeZero(bounded.toFixed(format.decimals));
  if (format.whole_or_fixed) return wholeOrFixed(bounded, format.decimals);
  return withoutNegativeZero(shortest(bounded, format.decimals));
}

function wholeOrFixed(value: number, decimals: number): string {
  const text = withoutNegativeZero(value.toFixed(decimals));
  return Number.isInteger(Number(text)) ? text.slice(0, -decimals - 1) : text;
}

/** Returns the shortest exact text, or rounds if that has too many decimals. */
function shortest(value: number, decimals: number): string {
  if (decimals >= NOISE_DECIMALS) return String(value);
  const text = String(value);
  if (!text.includes('e') && text.length - (text.indexOf('.') + 1) <= decimals) return text;
  const rounded = value.toFixed(decimals);
  return rounded.includes('.') ? rounded.replace(/\.?0+$/, '') : rounded;
}

const withoutNegativeZero = (text: string): string =>
  text.startsWith('-') && Number(text) === 0 ? text.slice(1) : text;
