/** The numbers of a column, one after the other, in bounded memory: moments, format, quantiles. */
import { FormatLearner } from '../table/numberFormat.ts';
import type { NumberScanner } from '../table/scanNumber.ts';
import type { ColumnProfile } from './profile.ts';
import type { QuantileSketch } from './quantileSketch.ts';

/** Shares of which the profile has the quantiles. */
export const QUANTILE_SHARES = [0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const;

export class NumberSummariser {
  /** Each number is the one before it plus one. */
  isRunning = true;
  /** Numbers with a zero before another digit: "007". */
  leadingZeros = 0;
  private readonly sketch: QuantileSketch;
  private readonly format = new FormatLearner();
  private count = 0;
  private zeros = 0;
  private mean = 0;
  /** Sum of squared distances from the mean (Welford 1962). */
  private squares = 0;
  private previous = Number.NaN;

  constructor(sketch: QuantileSketch) {
    this.sketch = sketch;
  }

  /** Takes the number that was scanned last, `times` times. */
  add(number: NumberScanner, times: number): void {
    const { value } = number;
    this.format.add(number);
    this.sketch.add(value, times);
    if (value === 0) this.zeros += times;
    if (number.hasLeadingZero) this.leadingZeros += times;
    if (times > 1 || (this.count > 0 && value !== this.previous + 1)) this.isRunning = false;
    this.previous = value;
    const delta = value - this.mean;
    const before = this.count;
    this.count += times;
    this.mean += (delta * times) / this.count;
    this.squares += delta * delta * times * (before / this.count);
  }

  hasDecimals(): boolean {
    return this.format.format()?.integer === false;
  }

  /** Null where there were none. */
  numbers(): ColumnProfile['numbers'] {
    const format = this.format.format();
    if (!format) return null;
    const { count, mean, zeros } = this;
    const quantiles = this.sketch.quantiles(QUANTILE_SHARES);
    // A sample may have missed them.
    quantiles[0] = format.min;
    quantiles[quantiles.length - 1] = format.max;
    return { count, format, mean, sd: count > 1 ? Math.sqrt(this.squares / (count - 1)) : 0, zeros, quantiles };
  }
}
