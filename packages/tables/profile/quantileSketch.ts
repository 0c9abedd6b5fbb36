/** Quantiles of numbers in bounded memory: exact while there is room, then of a simple random sample. */

import type { ColumnProfile, NumberFormat } from '../../contract/columns.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { firstAbove } from '../../numerics/search.ts';
import { FormatInference, type NumberScanner } from '../format/number.ts';

/** Numbers of a sample, at most: a median's rank then has a standard error of half a percent. */
const SAMPLE = 8192;

export class QuantileSketch {
  private readonly room: number;
  private readonly sampleRoom: number;
  private readonly random: RandomStream;
  private values: number[] = [];
  /** How often each value came; left once the sketch is a sample, in which each value counts once. */
  private weights: number[] | undefined = [];
  /** Numbers that were sampled from, and the next of them that enters the sample when it is full. */
  private sampled = 0;
  private next = 0;
  /** The largest of as many uniforms as there is room, as if each number had one and the smallest were kept. */
  private threshold = 1;

  /** `room`: entries that are kept, at most. */
  constructor(room: number, random: RandomStream) {
    this.room = room;
    this.sampleRoom = Math.min(room, SAMPLE);
    this.random = random;
  }

  /** An empty one of as much room, with random numbers of its own. */
  another(): QuantileSketch {
    return new QuantileSketch(this.room, this.random.child('another'));
  }

  add(value: number, times: number): void {
    if (this.weights && this.values.length === this.room) this.becomeSample(this.weights);
    if (this.weights) {
      this.values.push(value);
      this.weights.push(times);
    } else {
      for (let i = 0; i < times; i++) this.sample(value);
    }
  }

  /** Takes a value out, however often it was added. */
  remove(value: number): void {
    const kept = this.values.map((each, index) => (each === value ? -1 : index)).filter((index) => index >= 0);
    this.values = kept.map((index) => this.values[index]!);
    this.weights = this.weights && kept.map((index) => this.weights![index]!);
  }

  /** Least and greatest of the values kept, those aside that are named. */
  bounds(without: readonly number[] = []): { min: number; max: number } {
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of this.values) {
      if (without.includes(value)) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    return { min, max };
  }

  /** The values below which a share `p` of the numbers lies, between neighbours by linear interpolation. */
  quantiles(shares: readonly number[]): number[] {
    const { weights } = this;
    const order = Uint32Array.from(this.values.keys());
    if (weights) order.sort((a, b) => this.values[a]! - this.values[b]!);
    const values = weights
      ? Float64Array.from(order, (index) => this.values[index]!)
      : Float64Array.from(this.values).sort();
    // ends[i]: rank, from 0, just behind the last copy of values[i].
    let count = 0;
    const ends = Float64Array.from(order, (index) => {
      count += weights?.[index] ?? 1;
      return count;
    });
    const at = (rank: number): number => values[firstAbove(ends, rank)] ?? Number.NaN;
    return shares.map((p) => {
      const rank = p * (count - 1);
      const below = at(Math.floor(rank));
      const above = at(Math.ceil(rank));
      return below + (above - below) * (rank - Math.floor(rank));
    });
  }

  private becomeSample(weights: readonly number[]): void {
    const values = this.values;
    this.values = [];
    this.weights = undefined;
    for (const [index, value] of values.entries()) {
      for (let i = 0; i < weights[index]!; i++) this.sample(value);
    }
  }

  /** Algorithm L of Li (1994), "Reservoir-sampling algorithms of time complexity O(n(1 + log(N/n)))". */
  private sample(value: number): void {
    const index = this.sampled++;
    if (index < this.sampleRoom) {
      this.values.push(value);
      if (index + 1 === this.sampleRoom) this.skip(index);
    } else if (index === this.next) {
      this.values[this.random.integer(this.sampleRoom)] = value;
      this.skip(index);
    }
  }

  private skip(from: number): void {
    this.threshold *= this.random.uniform() ** (1 / this.sampleRoom);
    this.next = from + Math.floor(Math.log(this.random.uniform()) / Math.log1p(-this.threshold)) + 1;
  }
}

// The numbers of a column, one after the other, in bounded memory: moments, format, quantiles.

// Where numbers of a kind stand first: what a refusal names.

interface Placed {
  value: number;
  row: number;
}

class FirstNumbers {
  private min: Placed = { value: Number.POSITIVE_INFINITY, row: 0 };
  private max: Placed = { value: Number.NEGATIVE_INFINITY, row: 0 };
  private zero: number | null = null;
  private fraction: Placed | null = null;

  /** Rows come in ascending order. */
  add(value: number, row: number): void {
    if (value < this.min.value) this.min = { value, row };
    if (value > this.max.value) this.max = { value, row };
    if (value === 0) this.zero ??= row;
    else if (this.fraction === null && !Number.isInteger(value)) this.fraction = { value, row };
  }

  /** All numbers of this value stood for missing cells. */
  remove(value: number): void {
    if (value === 0) this.zero = null;
  }

  /** Least and greatest are null where they are not those of the format: they have been taken out. */
  summary({ min, max }: NumberFormat): NonNullable<ColumnProfile['numbers']>['first'] {
    return {
      min: this.min.value === min ? this.min : null,
      max: this.max.value === max ? this.max : null,
      zero: this.zero,
      fraction: this.fraction,
    };
  }
}

/** Shares of which the profile has the quantiles. */
export const QUANTILE_SHARES = [0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const;

export class NumberSummariser {
  /** Each number is the one before it plus one. */
  isRunning = true;
  /** Numbers with a zero before another digit: "007". */
  leadingZeros = 0;
  private readonly sketch: QuantileSketch;
  private readonly format = new FormatInference();
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
    const found = this.format.format();
    if (!found || this.count === 0) return null;
    const format = this.removed ? { ...found, ...this.sketch.bounds() } : found;
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
