/** Reads the cells of a column in its dress, one after the other, with nothing left behind for the collector. */
import { EXACT_DIGITS, type NumberScanner, POWERS_OF_TEN } from '../table/scanNumber.ts';
import type { DecoratedDress, Dress, TimeDress } from './dress.ts';
import { plainText, undress } from './dress.ts';
import { patternOf, toUnit } from './time.ts';

/** True where the text is a number in the dress; the scanner then tells of it. */
export type CellReader = (text: string, scanner: NumberScanner) => boolean;

/** The reader of a dress; without one, of plain numbers. It reads what `plainText` makes plain, and the same numbers. */
export function readerOf(dress: Dress | undefined): CellReader {
  if (!dress || dress.kind === 'plain') return readPlain;
  return dress.kind === 'time' ? readerOfTimes(dress) : readerOfDecorated(dress);
}

const readPlain: CellReader = (text, scanner) => scanner.scan(text);

function readerOfTimes(dress: TimeDress): CellReader {
  const pattern = patternOf(dress.pattern);
  const { unit } = dress;
  return (text, scanner) => {
    const milliseconds = pattern.readPlainly(text);
    const value = Number.isNaN(milliseconds) ? undress(text, dress) : toUnit(milliseconds, unit);
    return value !== undefined && (Number.isInteger(value) ? scanner.take(value) : scanner.scan(String(value)));
  };
}

/** What most cells are read by; those that it does not know, such as "12-", are made plain first. */
function readerOfDecorated(dress: DecoratedDress): CellReader {
  const quick = new QuickReader(dress);
  return (text, scanner) => {
    if (quick.read(text, scanner)) return true;
    const plain = plainText(text, dress);
    return plain !== undefined && scanner.scan(plain);
  };
}

const PLUS = 0x2b;
const MINUS = 0x2d;
const ZERO = 0x30;
const OPENS = 0x28;
const CLOSES = 0x29;
const SPACE = 0x20;
const TAB = 0x09;
const RETURN = 0x0d;
const GROUP = 3;
const NO_MARK = -1;

class QuickReader {
  private readonly prefix: readonly number[];
  private readonly suffix: readonly number[];
  private readonly thousands: number;
  private readonly decimal: number;
  private readonly hasParentheses: boolean;
  /** What is left to be read of the text, and whether the number is below zero. */
  private at = 0;
  private end = 0;
  private isNegative = false;

  constructor(dress: DecoratedDress) {
    this.prefix = codesOf(dress.prefix);
    this.suffix = codesOf(dress.suffix);
    this.thousands = dress.thousands === '' ? NO_MARK : dress.thousands.charCodeAt(0);
    this.decimal = dress.decimal.charCodeAt(0);
    this.hasParentheses = dress.negative === 'parentheses';
  }

  /** False too where the text may be of the dress in a way that is not known here. */
  read(text: string, scanner: NumberScanner): boolean {
    this.at = 0;
    this.end = text.length;
    this.isNegative = false;
    while (this.at < this.end && isSpace(text.charCodeAt(this.at))) this.at++;
    while (this.end > this.at && isSpace(text.charCodeAt(this.end - 1))) this.end--;
    const isSigned = this.passSign(text);
    if (!this.passPrefix(text) || !this.passSuffix(text)) return false;
    if (!isSigned) this.passSign(text);
    return this.readDigits(text, scanner);
  }

  private passSign(text: string): boolean {
    const first = text.charCodeAt(this.at);
    const isMinus = first === MINUS;
    if (isMinus || first === PLUS) {
      this.at++;
      this.isNegative = isMinus;
      return true;
    }
    if (first !== OPENS || !this.hasParentheses || text.charCodeAt(this.end - 1) !== CLOSES) return false;
    this.at++;
    this.end--;
    this.isNegative = true;
    return true;
  }

  private passPrefix(text: string): boolean {
    const { prefix } = this;
    for (let i = 0; i < prefix.length; i++) if (text.charCodeAt(this.at + i) !== prefix[i]) return false;
    this.at += prefix.length;
    return true;
  }

  private passSuffix(text: string): boolean {
    const { suffix } = this;
    const start = this.end - suffix.length;
    for (let i = 0; i < suffix.length; i++) if (text.charCodeAt(start + i) !== suffix[i]) return false;
    this.end = start;
    return true;
  }

  /** Digits in groups of three or in none, then a decimal mark and digits. One loop: it is where the time goes. */
  private readDigits(text: string, scanner: NumberScanner): boolean {
    const { end, thousands, decimal } = this;
    const firstDigit = text.charCodeAt(this.at) - ZERO;
    let mantissa = 0;
    let digits = 0;
    let wholeDigits = NO_MARK;
    let groups = 0;
    /** Digits since the last mark. */
    let run = 0;
    for (let at = this.at; at < end; at++) {
      const code = text.charCodeAt(at);
      const digit = code - ZERO;
      if (digit >= 0 && digit <= 9) {
        mantissa = 10 * mantissa + digit;
        digits++;
        run++;
        continue;
      }
      if (wholeDigits >= 0 || (groups > 0 && run !== GROUP)) return false;
      if (code === decimal) wholeDigits = digits;
      else if (code !== thousands || run === 0 || run > GROUP) return false;
      else groups++;
      run = 0;
    }
    const hasPoint = wholeDigits >= 0;
    if (run === 0 || digits > EXACT_DIGITS || (!hasPoint && groups > 0 && run !== GROUP)) return false;
    const decimals = hasPoint ? digits - wholeDigits : 0;
    const magnitude = decimals > 0 ? mantissa / POWERS_OF_TEN[decimals]! : mantissa;
    const hasLeadingZero = digits - decimals > 1 && firstDigit === 0;
    return scanner.take(this.isNegative ? -magnitude : magnitude, decimals, hasPoint, hasLeadingZero);
  }
}

const isSpace = (code: number): boolean => code === SPACE || (code >= TAB && code <= RETURN);

const codesOf = (text: string): number[] => Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
