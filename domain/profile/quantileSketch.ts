/** Quantiles of numbers in bounded memory: exact while there is room, then of a simple random sample. */
import type { RandomStream } from '../../numerics/random/stream.ts';

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

/** Index of the first number above `wanted` in an ascending list. */
function firstAbove(ascending: Float64Array, wanted: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
