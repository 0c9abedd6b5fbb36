/** Quantiles in bounded memory: exact, then of a simple random sample. */

import type { ColumnProfile, NumberFormat } from '../../contract/columns.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { firstAbove } from '../../numerics/search.ts';
import { FormatInference, type NumberScanner } from '../format/number.ts';

/** Standard error of a median's rank: 0.5 %. */
const SAMPLE = 8192;

export class QuantileSketch {
  private readonly room: number;
  private readonly sampleRoom: number;
  private readonly random: RandomStream;
  private values: number[] = [];
  /** Counts of the values; undefined once the sketch is a sample. */
  private weights: number[] | undefined = [];
  private sampled = 0;
  private next = 0;
  /** Largest of the kept uniform keys. */
  private threshold = 1;

  constructor(room: number, random: RandomStream) {
    this.room = room;
    this.sampleRoom = Math.min(room, SAMPLE);
    this.random = random;
  }

  /** Returns an empty sketch with its own random numbers. */
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

  remove(value: number): void {
    const kept = this.values.map((each, index) => (each === value ? -1 : index)).filter((index) => index >= 0);
    this.values = kept.map((index) => this.values[index]!);
    this.weights = this.weights && kept.map((index) => this.weights![index]!);
  }

  bounds(without: readonly number[] = []): { min: number; max: number } {
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of this.values) {
      if (without.includes(value)) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    return { min, max };
  }

  quantiles(shares: readonly number[]): number[] {
    const { weights } = this;
    const order = Uint32Array.from(this.values.keys());
    if (weights) order.sort((a, b) => this.values[a]! - this.values[b]!);
    const values = weights
      ? Float64Array.from(order, (index) => this.values[index]!)
      : Float64Array.from(this.values).sort();
    // ends[i]: rank after the last copy of values[i], from 0.
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

/** Interpolates without overflow of the difference. */
function between(from: number, to: number, share: number): number {
  const distance = to - from;
  return Number.isFinite(distance) ? from + distance * share : from * (1 - share) + to * share;
}

// Scaled against overflow and underflow of squares.

/** Powers of two that need no scaling. */
const ORDINARY = 300;

/** A power of two; 1 for ordinary numbers and 0. */
function unitFor(size: number): number {
  // Rounding lifts the logarithm of the largest double.
  const exponent = Math.min(1023, Math.floor(Math.log2(size)));
  return size === 0 || Math.abs(exponent) <= ORDINARY ? 1 : 2 ** exponent;
}

class Moments {
  count = 0;
  private unit = 1;
  /** In `unit`s; division by a power of two is exact. */
  private mean = 0;
  /** Sum of squared deviations (Welford 1962). */
  private squares = 0;

  add(value: number, times: number): void {
    this.fitUnit(Math.abs(value));
    const delta = value / this.unit - this.mean;
    const before = this.count;
    this.count += times;
    this.mean += (delta * times) / this.count;
    this.squares += delta * delta * times * (before / this.count);
  }

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

  /** Only grows, except for the first non-zero number. */
  private fitUnit(size: number): void {
    if (size <= 2 ** ORDINARY * this.unit && (this.mean !== 0 || this.squares !== 0 || size === 0)) return;
    const unit = unitFor(size);
    const ratio = this.unit / unit;
    this.unit = unit;
    // A shrinking unit has seen only zeros.
    if (ratio > 1) return;
    this.mean *= ratio;
    this.squares *= ratio * ratio;
  }
}

interface Placed {
  value: number;
  row: number;
}

class FirstNumbers {
  private min: Placed = { value: Number.POSITIVE_INFINITY, row: 0 };
  private max: Placed = { value: Number.NEGATIVE_INFINITY, row: 0 };
  private zero: number | null = null;
  private fraction: Placed | null = null;

  add(value: number, row: number): void {
    if (value < this.min.value) this.min = { value, row };
    if (value > this.max.value) this.max = { value, row };
    if (value === 0) this.zero ??= row;
    else if (this.fraction === null && !Number.isInteger(value)) this.fraction = { value, row };
  }

  remove(value: number): void {
    if (value === 0) this.zero = null;
  }

  /** Null if the extreme was removed. */
  summary({ min, max }: NumberFormat): NonNullable<ColumnProfile['numbers']>['first'] {
    return {
      min: this.min.value === min ? this.min : null,
      max: this.max.value === max ? this.max : null,
      zero: this.zero,
      fraction: this.fraction,
    };
  }
}

export const QUANTILE_SHARES = [0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const;

export class NumberSummariser {
  isRunning = true;
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

  /** Adds the last scanned number, which occurs `times` times. */
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

  remove(value: number, times: number): void {
    if (value === 0) this.zeros -= times;
    this.moments.remove(value, times);
    this.sketch.remove(value);
    this.first.remove(value);
    this.removed = true;
  }

  extremes(without: readonly number[] = []): { min: number; max: number } {
    return this.sketch.bounds(without);
  }

  hasDecimals(): boolean {
    return this.format.format()?.integer === false;
  }

  numbers(): ColumnProfile['numbers'] {
    const found = this.format.format();
    if (!found || this.count === 0) return null;
    const format = this.removed ? { ...found, ...this.sketch.bounds() } : found;
    const { count, zeros } = this;
    const quantiles = this.sketch.quantiles(QUANTILE_SHARES);
    // A sample may miss the extremes.
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
