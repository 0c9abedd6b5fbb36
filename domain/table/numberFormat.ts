/** Numbers as they are written: text to number, and back again in the way of the column. */
import type { NumberFormat } from '../profile/profile.ts';
import { NumberScanner } from './scanNumber.ts';

/** From here on a column's decimals are the noise of doubles: a value is written with as many as it needs. */
const NOISE_DECIMALS = 15;

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
  private min = Number.POSITIVE_INFINITY;
  private max = Number.NEGATIVE_INFINITY;

  /** Takes the number that was scanned last. */
  add(number: NumberScanner): void {
    const { value, decimals } = number;
    if (number.hasPoint || decimals > 0) this.integer = false;
    if (number.hasExponent) this.plain = false;
    if (decimals < this.fewestDecimals) this.fewestDecimals = decimals;
    if (decimals > this.mostDecimals) this.mostDecimals = decimals;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  /** Undefined where no number was added. */
  format(): NumberFormat | undefined {
    if (this.min > this.max) return undefined;
    return {
      integer: this.integer,
      decimals: this.mostDecimals,
      fixed: this.plain && this.mostDecimals > 0 && this.fewestDecimals === this.mostDecimals,
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
  return withoutNegativeZero(shortest(bounded, format.decimals));
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
