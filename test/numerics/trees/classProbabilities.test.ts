import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { ClassProbabilities, spreadsOf } from '../../../packages/numerics/trees/classProbabilities.ts';
import type { GrownNode } from '../../../packages/numerics/trees/growClassTree.ts';

const random = createStream(8, 'class probabilities');
const [fitted, all] = [60, 80];
const settings = { sketches: 3, maxLeaves: 2, shrinkageRows: 2, learningRate: 0.3 };
const leaf = (start: number, end: number): GrownNode => ({ start, end, depth: 1, split: null, left: -1 });
const [MAX_FALL, MAX_RISE] = [-2, 3];
/** Probabilities are kept as f32, which has seven digits; gradients are sums of a few. */
const DIGITS = 5;

/** One row after the other, one class after the other. */
class Slowly {
  readonly p: number[][];
  readonly classes: Int32Array;

  constructor(classes: Int32Array, base: Float64Array) {
    this.classes = classes;
    this.p = Array.from(classes, () => [...base]);
  }

  look(directions: Float32Array, sketches: number): number[] {
    return this.p.slice(0, fitted).flatMap((own, row) =>
      Array.from({ length: sketches }, (_, s) => {
        const along = (k: number): number => directions[k * sketches + s]!;
        return own.reduce((sum, share, k) => sum + share * along(k), 0) - along(this.classes[row]!);
      }),
    );
  }

  step(rows: readonly number[], spreads: Float64Array | null): number[] {
    const kinds = this.p[0]!.length;
    const spread = (counts: number[]): number[] =>
      counts.map((own, k) =>
        spreads ? counts.reduce((sum, from, j) => sum + spreads[k * kinds + j]! * from, 0) : own,
      );
    const found = spread(this.p[0]!.map((_, k) => rows.filter((row) => this.classes[row] === k).length));
    const due = spread(this.p[0]!.map((_, k) => rows.reduce((sum, row) => sum + this.p[row]![k]!, 0)));
    return found.map((count, k) => {
      const step = (count - due[k]!) / (due[k]! + settings.shrinkageRows);
      return settings.learningRate * Math.min(MAX_RISE, Math.max(MAX_FALL, step));
    });
  }

  move(row: number, values: readonly number[]): void {
    const moved = this.p[row]!.map((own, k) => own * Math.exp(values[k]!));
    const sum = moved.reduce((total, own) => total + own, 0);
    this.p[row] = moved.map((own) => own / sum);
  }

  score(): number {
    const logs = this.p.slice(fitted).map((own, i) => Math.log(own[this.classes[fitted + i]!]!));
    return logs.reduce((sum, log) => sum + log, 0) / logs.length;
  }
}

const close = (found: ArrayLike<number>, expected: readonly number[]): void => {
  expect(found).toHaveLength(expected.length);
  for (const [i, own] of expected.entries()) expect(found[i]).toBeCloseTo(own, DIGITS);
};

describe('probabilities of classes, four at a time', () => {
  test.each([
    [3, 2, false],
    [4, 3, false],
    [5, 3, true],
    [16, 3, true],
    [23, 3, false],
  ])('of %i classes, along %i directions, are those of a slow reading', (kinds, sketches, isOrdered) => {
    const classes = Int32Array.from({ length: all }, () => random.integer(kinds));
    const base = new Float64Array(kinds).fill(1 / kinds);
    const alike = isOrdered ? new Float64Array(kinds - 1).fill(0.9) : null;
    const state = new ClassProbabilities({ classes, kinds, base, fitted }, { ...settings, sketches, alike });
    const slow = new Slowly(classes, base);
    for (let round = 0; round < 3; round++) {
      const directions = Float32Array.from({ length: kinds * sketches }, () => random.normal());
      close(state.look(directions), slow.look(directions, sketches));
      // Two leaves, of every third row and of the others.
      const left = Array.from({ length: fitted }, (_, row) => row).filter((row) => (row + round) % 3 === 0);
      const right = Array.from({ length: fitted }, (_, row) => row).filter((row) => (row + round) % 3 !== 0);
      state.order.set([...left, ...right]);
      const root = { ...leaf(0, fitted), split: { feature: 0, bin: 0, sides: null, gain: 1 }, left: 1 };
      const values = state.step([root, leaf(0, left.length), leaf(left.length, fitted)]);
      state.moveApart((row) => 1 + (row % 2));
      const spreads = alike && spreadsOf(alike);
      const steps = [left, right].map((rows) => slow.step(rows, spreads));
      expect(values[0]).toBeNull();
      for (const [i, own] of steps.entries()) close(values[i + 1]!, own);
      for (const row of left) slow.move(row, steps[0]!);
      for (const row of right) slow.move(row, steps[1]!);
      for (let row = fitted; row < all; row++) slow.move(row, steps[row % 2]!);
      expect(state.score()).toBeCloseTo(slow.score(), DIGITS);
    }
  });
});
