/** The numbers of a column, one after the other, in bounded memory: moments, format, quantiles. */
import { FormatLearner } from '../table/numberFormat.ts';
import type { NumberScanner } from '../table/scanNumber.ts';
import { FirstNumbers } from './firstNumbers.ts';
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
  private readonly first = new FirstNumbers();
  count = 0;
  private zeros = 0;
  private mean = 0;
  /** Sum of squared distances from the mean (Welford 1962). */
  private squares = 0;
  private previous = Number.NaN;
  private removed = false;

  constructor(sketch: QuantileSketch) {
    this.sketch = sketch;
  }

  /** Takes the number that was scanned last, which stands `times` times, first in `row`. */
  add(number: NumberScanner, times: number, row: number): void {
    const { value } = number;
    this.first.add(value, row);
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

  /** Takes a number out again that came `times` times: it stood for a missing cell. */
  remove(value: number, times: number): void {
    const before = this.count;
    this.count -= times;
    if (value === 0) this.zeros -= times;
    const mean = (this.mean * before - value * times) / this.count;
    this.squares -= (value - mean) * (value - this.mean) * times;
    this.mean = mean;
    this.sketch.remove(value);
    this.first.remove(value);
    this.removed = true;
  }

  /** Least and greatest of the numbers other than these. */
  extremes(without: readonly number[] = []): { min: number; max: number } {
    return this.sketch.bounds(without);
  }

  hasDecimals(): boolean {
    return this.format.format()?.integer === false;
  }

  /** Null where there were none. */
  numbers(): ColumnProfile['numbers'] {
    const learnt = this.format.format();
    if (!learnt || this.count === 0) return null;
    const format = this.removed ? { ...learnt, ...this.sketch.bounds() } : learnt;
    const { count, mean, zeros } = this;
    const quantiles = this.sketch.quantiles(QUANTILE_SHARES);
    // A sample may have missed them.
    quantiles[0] = format.min;
    quantiles[quantiles.length - 1] = format.max;
    return {
      count,
      format,
      mean,
      sd: count > 1 ? Math.sqrt(Math.max(0, this.squares) / (count - 1)) : 0,
      zeros,
      quantiles,
      first: this.first.summary(format),
    };
  }
}
