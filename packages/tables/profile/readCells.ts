import type { CellFormat, DecoratedFormat, TimeFormat } from '../../contract/columns.ts';
import { parseCell, plainText } from '../format/cellFormat.ts';
import { EXACT_DIGITS, NumberScanner, POWERS_OF_TEN } from '../format/number.ts';
import { patternOf, toUnit } from '../format/time.ts';
import type { Sighting } from '../missing.ts';
import { ownText } from '../textDictionary.ts';
import type { NumberSummariser } from './quantileSketch.ts';

const STRAYS = 5;

const scanner = new NumberScanner();

export class CellReading {
  readonly format: CellFormat | undefined;
  readonly numbers: NumberSummariser;
  readonly strays: Sighting[] = [];
  private readonly read: CellReader;

  constructor(format: CellFormat | undefined, numbers: NumberSummariser) {
    this.format = format;
    this.numbers = numbers;
    this.read = readerOf(format);
  }

  take(text: string, times: number, row: number): boolean {
    if (!this.read(text, scanner)) return false;
    this.numbers.add(scanner, times, row);
    return true;
  }

  takeStray(text: string, times: number, row: number): void {
    const { strays } = this;
    for (let i = 0; i < strays.length; i++) {
      if (strays[i]!.text !== text) continue;
      strays[i]!.count += times;
      return;
    }
    if (strays.length < STRAYS) strays.push({ text: ownText(text), row, count: times });
  }
}

// Reads cells of a format without allocation.

/** The scanner then describes the number. */
type CellReader = (text: string, scanner: NumberScanner) => boolean;

/** Agrees with `plainText`; without a format, reads plain numbers. */
export function readerOf(format: CellFormat | undefined): CellReader {
  if (!format || format.kind === 'plain') return readPlain;
  return format.kind === 'time' ? readerOfTimes(format) : readerOfDecorated(format);
}

const readPlain: CellReader = (text, scanner) => scanner.scan(text);

function readerOfTimes(format: TimeFormat): CellReader {
  const pattern = patternOf(format.pattern);
  const { unit } = format;
  return (text, scanner) => {
    const milliseconds = pattern.readPlainly(text);
    const value = Number.isNaN(milliseconds) ? parseCell(text, format) : toUnit(milliseconds, unit);
    return value !== undefined && (Number.isInteger(value) ? scanner.take(value) : scanner.scan(String(value)));
  };
}

/** The general parser reads unusual cells such as "12-". */
function readerOfDecorated(format: DecoratedFormat): CellReader {
  const quick = new QuickReader(format);
  return (text, scanner) => {
    if (quick.read(text, scanner)) return true;
    const plain = plainText(text, format);
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
  private at = 0;
  private end = 0;
  private isNegative = false;

  constructor(format: DecoratedFormat) {
    this.prefix = codesOf(format.prefix);
    this.suffix = codesOf(format.suffix);
    this.thousands = format.thousands === '' ? NO_MARK : format.thousands.charCodeAt(0);
    this.decimal = format.decimal.charCodeAt(0);
    this.hasParentheses = format.negative === 'parentheses';
  }

  /** False does not prove a mismatch. */
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

  /** Reads all digits in one loop, because it dominates the running time. */
  private readDigits(text: string, scanner: NumberScanner): boolean {
    const { end, thousands, decimal } = this;
    const firstDigit = text.charCodeAt(this.at) - ZERO;
    let mantissa = 0;
    let digits = 0;
    let wholeDigits = NO_MARK;
    let groups = 0;
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
