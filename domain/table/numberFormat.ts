/** Numbers as they are written: text to number, and back again in the way of the column. */
import type { NumberFormat } from '../profile/profile.ts';
import { EXACT_DIGITS, NumberScanner, POWERS_OF_TEN } from './scanNumber.ts';

/** From here on a column's decimals are the noise of doubles: a value is written with as many as it needs. */
const NOISE_DECIMALS = 15;

/** Money is written with all of its decimals or none; of other numbers few tell nothing. */
const MONEY_DECIMALS = 2;
/** How far from a whole number, as a share of it, a product of a decimal number and a power of ten may come out. */
const WHOLE = 1e-15;

const scanner = new NumberScanner();

/**
 * The number that a cell's text is, in plain or scientific decimal notation, spaces around it allowed. Undefined for
 * everything else: hexadecimal, "Infinity", digits in groups, a number too large for a double.
 */
export function parseNumber(text: string): number | undefined {
  return scanner.scan(text) ? scanner.value : undefined;
}

/** Learns the format of a column from its numbers, one after the other. */
export class FormatLearner {
  private integer = true;
  private plain = true;
  private fewestDecimals = Number.POSITIVE_INFINITY;
  private mostDecimals = 0;
  /** Of the numbers with a point; and whether one of those ends in a zero. */
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
export function learnFormat(texts: Iterable<string>): NumberFormat | undefined {
  const learner = new FormatLearner();
  for (const text of texts) if (scanner.scan(text)) learner.add(scanner);
  return learner.format();
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
