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
export const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);

/**
 * A scanner is used again for every cell, so that nothing is allocated per cell. Its fields tell of the latest text for
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

  /** Tells of a number of at most `EXACT_DIGITS` digits, without an exponent, as if it had been scanned. */
  take(value: number, decimals = 0, hasPoint = false, hasLeadingZero = false): true {
    this.value = value;
    this.decimals = decimals;
    this.hasPoint = hasPoint;
    this.hasExponent = false;
    this.hasLeadingZero = hasLeadingZero;
    return true;
  }

  /** True where the text is a finite number: sign, digits, point, exponent; spaces around it; nothing else. */
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
      if (!Number.isFinite(value)) return false;
      this.value = value;
    } else {
      // Both operands are exact, so the quotient is the double nearest to the text.
      const magnitude = fractionDigits > 0 ? mantissa / POWERS_OF_TEN[fractionDigits]! : mantissa;
      this.value = sign === MINUS ? -magnitude : magnitude;
    }
    const exponent = hasExponent ? Number(text.slice(at + 1, end)) : 0;
    this.decimals = Math.max(0, fractionDigits - exponent);
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
