import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import { calibration } from '../../../../../packages/synthesis/models/regression/labels/labelCalibration.ts';

const random = createStream(3, 'calibration');

/** n rows of K levels: labels drawn from the probabilities, and the probabilities as a model says them. */
function drawn(n: number, kinds: number, said: (p: number) => number) {
  const p = new Float64Array(n * kinds);
  const own = new Int32Array(n);
  for (let row = 0; row < n; row++) {
    const weights = Array.from({ length: kinds }, () => random.gamma(1));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const at = random.uniform() * all;
    own[row] = weights.findIndex((_, k) => at < weights.slice(0, k + 1).reduce((sum, weight) => sum + weight, 0));
    const spoken = weights.map((weight) => said(weight / all));
    const total = spoken.reduce((sum, one) => sum + one, 0);
    spoken.forEach((one, k) => {
      p[row * kinds + k] = one / total;
    });
  }
  return { p, own, counts: Int32Array.from({ length: kinds }, () => n) };
}

describe('the calibration of labels', () => {
  it.each([2, 3, 7])('of %i levels is as good as chance lets it be where the probabilities are right', (kinds) => {
    const { p, own, counts } = drawn(4_000, kinds, (share) => share);
    const found = calibration(p, own, counts);
    // Ten bins of some hundred rows: the mean of ten half-normal errors is within twice what is expected.
    expect(found.error).toBeLessThan(2 * found.error_by_chance);
    const within = found.bins.filter(({ predicted, low, high }) => predicted >= low && predicted <= high);
    expect(within.length).toBeGreaterThanOrEqual(found.bins.length - 2);
    expect(found.log_score).toBeGreaterThan(found.log_score_of_shares);
    expect(found.accuracy).toBeGreaterThan(1 / kinds);
  });

  it('tells probabilities that are too sure', () => {
    const { p, own, counts } = drawn(4_000, 2, (share) => share ** 3);
    const found = calibration(p, own, counts);
    expect(found.error).toBeGreaterThan(4 * found.error_by_chance);
  });

  it('leaves out tenths of fewer than 20 rows', () => {
    const p = Float64Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 0.31 : 0.69));
    p.set([0.95, 0.05], 0);
    const { bins, rows } = calibration(p, new Int32Array(100), Int32Array.of(50, 50));
    expect([rows, bins.map((bin) => bin.rows)]).toEqual([100, [99]]);
    expect(bins[0]).toMatchObject({ observed: 1, high: 1 });
    expect(bins[0]?.predicted).toBeCloseTo(0.31, 12);
  });
});
