/** Means and variances of vectors that come one by one (Welford 1962). */

export class RunningMoments {
  readonly mean: Float64Array;
  readonly #squares: Float64Array;
  count = 0;

  constructor(dimension: number) {
    this.mean = new Float64Array(dimension);
    this.#squares = new Float64Array(dimension);
  }

  add(x: Float64Array): void {
    const { mean } = this;
    const squares = this.#squares;
    this.count++;
    const weight = 1 / this.count;
    for (let i = 0; i < mean.length; i++) {
      const before = x[i]! - mean[i]!;
      mean[i]! += weight * before;
      squares[i]! += before * (x[i]! - mean[i]!);
    }
  }

  /** Of coordinate i, with divisor count - 1: from two vectors on. */
  variance(i: number): number {
    return this.#squares[i]! / (this.count - 1);
  }

  clear(): void {
    this.count = 0;
    this.mean.fill(0);
    this.#squares.fill(0);
  }
}
