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
      return between(at(Math.floor(rank)), at(Math.ceil(rank)), rank - Math.floor(rank));
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

/** The number at `share` of the way from one to the other, whose distance may be more than a double holds. */
function between(from: number, to: number, share: number): number {
  const distance = to - from;
  return Number.isFinite(distance) ? from + distance * share : from * (1 - share) + to * share;
}

// Mean and variance, in a unit in which squares of very large and very small numbers are doubles too.

/** Numbers between these powers of two, and their squares, are summed as they are. */
const ORDINARY = 300;

/** The power of two that numbers of this size are divided by: 1 for ordinary ones and for 0. */
function unitFor(size: number): number {
  // The logarithm of the largest double is rounded up.
  const exponent = Math.min(1023, Math.floor(Math.log2(size)));
  return size === 0 || Math.abs(exponent) <= ORDINARY ? 1 : 2 ** exponent;
}

class Moments {
  count = 0;
  private unit = 1;
  /** Of the numbers in `unit`s; divided by a power of two, they lose nothing. */
  private mean = 0;
  /** Sum of squared distances from the mean (Welford 1962). */
  private squares = 0;

  add(value: number, times: number): void {
    this.fitUnit(Math.abs(value));
    const delta = value / this.unit - this.mean;
    const before = this.count;
    this.count += times;
    this.mean += (delta * times) / this.count;
    this.squares += delta * delta * times * (before / this.count);
  }

  /** Takes out a number that was added as often. */
  remove(value: number, times: number): void {
    const scaled = value / this.unit;
    const before = this.count;
    this.count -= times;
    const mean = (this.mean * before - scaled * times) / this.count;
    this.squares -= (scaled - mean) * (scaled - this.mean) * times;
    this.mean = mean;
  }

  summary(): { mean: number; sd: number } {
    const { count, mean, squares, unit } = this;
    const sd = count > 1 ? Math.sqrt(Math.max(0, squares) / (count - 1)) : 0;
    return { mean: mean * unit, sd: Math.min(sd * unit, Number.MAX_VALUE) };
  }

  /** A unit never becomes smaller, but for the first number that is not 0. */
  private fitUnit(size: number): void {
    if (size <= 2 ** ORDINARY * this.unit && (this.mean !== 0 || this.squares !== 0 || size === 0)) return;
    const unit = unitFor(size);
    const ratio = this.unit / unit;
    this.unit = unit;
    // A unit that becomes smaller has seen nothing but zeros.
    if (ratio > 1) return;
    this.mean *= ratio;
    this.squares *= ratio * ratio;
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
  private readonly moments = new Moments();
  private zeros = 0;
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
    this.moments.add(value, times);
  }

  get count(): number {
    return this.moments.count;
  }

  /** Takes a number out again that came `times` times: it stood for a missing cell. */
  remove(value: number, times: number): void {
    if (value === 0) this.zeros -= times;
    this.moments.remove(value, times);
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
    const { count, zeros } = this;
    const quantiles = this.sketch.quantiles(QUANTILE_SHARES);
    // A sample may have missed them.
    quantiles[0] = format.min;
    quantiles[quantiles.length - 1] = format.max;
    return {
      count,
      format,
      ...this.moments.summary(),
      zeros,
      quantiles,
      first: this.first.summary(format),
    };
  }
}
