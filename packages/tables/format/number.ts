/** Numbers as they are written: text to number, and back again in the way of the column. */
import type { NumberFormat } from '../../contract/columns.ts';

/** Reads one cell as a decimal number, and notes how it is written. */

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const LAST_SPACE = 0x20;

/** Digits that a whole double holds exactly, whatever they are. */
export const EXACT_DIGITS = 15;
/** Digits that any double has after its point, at most: "0e-999999999999" has no more. */
const MAX_DECIMALS = 1074;
export const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);

/**
 * A scanner is used again for every cell, so that nothing is allocated per cell. Its fields describe the latest text for
 * which `scan` was true.
 */
export class NumberScanner {
  value = 0;
  /** Digits after the decimal point, with the exponent taken into account: 2 for "1.50", 3 for "1e-3". */
  decimals = 0;
  hasPoint = false;
  hasExponent = false;
  /** A zero stands before another digit: "007". */
  hasLeadingZero = false;

  /** Describes a number of at most `EXACT_DIGITS` digits, without an exponent, as if it had been scanned. */
  take(value: number, decimals = 0, hasPoint = false, hasLeadingZero = false): true {
    this.value = value;
    this.decimals = decimals;
    this.hasPoint = hasPoint;
    this.hasExponent = false;
    this.hasLeadingZero = hasLeadingZero;
    return true;
  }

  /**
   * True where the text is a number that a double holds: sign, digits, point, exponent; spaces around it; nothing else.
   * Numbers beyond the largest double, and those so small that a double makes 0 of them, are texts.
   */
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
      // Both operands are exact, so the quotient is the double nearest to the text.
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

/** Where the exponent that begins at `at` ends; `at` itself where there is none. */
function endOfExponent(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at);
  if (mark !== LOWER_E && mark !== UPPER_E) return at;
  const sign = text.charCodeAt(at + 1);
  const firstDigit = sign === MINUS || sign === PLUS ? at + 2 : at + 1;
  let last = firstDigit;
  while (last < end && isDigit(text.charCodeAt(last))) last++;
  return last > firstDigit ? last : at;
}

/** From here on a column's decimals are the noise of doubles: a value is written with as many as it needs. */
const NOISE_DECIMALS = 15;

/** Money is written with all of its decimals or none; for other numbers, a few say nothing. */
const MONEY_DECIMALS = 2;
/** How far from a whole number, as a share of it, a product of a decimal number and a power of ten may be released. */
const WHOLE = 1e-15;

const scanner = new NumberScanner();

/**
 * The number that a cell's text is, in plain or scientific decimal notation, spaces around it allowed. Undefined for
 * everything else: hexadecimal, "Infinity", digits in groups, a number too large for a double.
 */
export function parseNumber(text: string): number | undefined {
  return scanner.scan(text) ? scanner.value : undefined;
}

/** Infers the format of a column from its numbers, one after the other. */
export class FormatInference {
  private integer = true;
  private plain = true;
  private fewestDecimals = Number.POSITIVE_INFINITY;
  private mostDecimals = 0;
  /** Fewest decimals of the numbers with a point; and whether one of those ends in a zero. */
  private fewestBehindPoint = Number.POSITIVE_INFINITY;
  private hasTrailingZero = false;
  private min = Number.POSITIVE_INFINITY;
  private max = Number.NEGATIVE_INFINITY;

  /** Takes the number that was scanned last. */
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

  /** Undefined where no number was added. */
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

/** The format of the texts that are numbers; undefined where none is. */
export function inferFormat(texts: Iterable<string>): NumberFormat | undefined {
  const inference = new FormatInference();
  for (const text of texts) if (scanner.scan(text)) inference.add(scanner);
  return inference.format();
}

/**
 * The text of a number in a column's format: moved into `min` … `max`, rounded to `decimals`, with trailing zeros where
 * the column has them ("41.0") and without where it has not. NaN, which stands for a missing cell, gives ''.
 */
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

/** The shortest text that is the number, or where that has too many decimals, the number rounded to `decimals`. */
function shortest(value: number, decimals: number): string {
  if (decimals >= NOISE_DECIMALS) return String(value);
  const text = String(value);
  if (!text.includes('e') && text.length - (text.indexOf('.') + 1) <= decimals) return text;
  const rounded = value.toFixed(decimals);
  return rounded.includes('.') ? rounded.replace(/\.?0+$/, '') : rounded;
}

const withoutNegativeZero = (text: string): string =>
  text.startsWith('-') && Number(text) === 0 ? text.slice(1) : text;
