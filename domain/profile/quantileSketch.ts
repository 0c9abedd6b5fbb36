/** Quantiles of numbers in bounded memory: exact while there is room, then of a simple random sample. */
import type { RandomStream } from '../../numerics/random/stream.ts';

export class QuantileSketch {
  private readonly room: number;
  private readonly random: RandomStream;
  private values: number[] = [];
  /** How often each value came; left once the sketch is a sample, in which each value counts once. */
  private weights: number[] | undefined = [];
  private count = 0;

  /** `room`: entries that are kept, at most. */
  constructor(room: number, random: RandomStream) {
    this.room = room;
    this.random = random;
  }

  add(value: number, times: number): void {
    if (this.weights && this.values.length === this.room) this.becomeSample(this.weights);
    if (this.weights) {
      this.values.push(value);
      this.weights.push(times);
      this.count += times;
    } else {
      for (let i = 0; i < times; i++) this.sample(value);
    }
  }

  /** The values below which a share `p` of the numbers lies, between neighbours by linear interpolation. */
  quantiles(shares: readonly number[]): number[] {
    const order = this.values.map((_, index) => index).sort((a, b) => this.values[a]! - this.values[b]!);
    const values = order.map((index) => this.values[index]!);
    // ends[i]: rank, from 0, just behind the last copy of values[i].
    let rank = 0;
    const ends = order.map((index) => (rank += this.weights?.[index] ?? 1));
    const at = (wanted: number): number => values[firstAbove(ends, wanted)] ?? Number.NaN;
    return shares.map((p) => {
      const wanted = p * (rank - 1);
      const below = at(Math.floor(wanted));
      const above = at(Math.ceil(wanted));
      return below + (above - below) * (wanted - Math.floor(wanted));
    });
  }

  private becomeSample(weights: readonly number[]): void {
    const values = this.values;
    this.values = [];
    this.weights = undefined;
    this.count = 0;
    for (const [index, value] of values.entries()) {
      for (let i = 0; i < weights[index]!; i++) this.sample(value);
    }
  }

  /** Algorithm R of Vitter (1985), "Random sampling with a reservoir". */
  private sample(value: number): void {
    const index = this.count++;
    const place = index < this.room ? index : this.random.integer(this.count);
    if (place < this.room) this.values[place] = value;
  }
}

/** Index of the first number above `wanted` in an ascending list. */
function firstAbove(ascending: readonly number[], wanted: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
