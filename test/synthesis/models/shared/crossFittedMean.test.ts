import { expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { finish } from '../../../../packages/numerics/steps.ts';
import { meansOf } from '../../../../packages/numerics/trees/walkTrees.ts';
import { fitCrossFittedMean } from '../../../../packages/synthesis/models/shared/crossFittedMean.ts';

const random = createStream(6, 'cross-fitted mean');
const N = 4_000;
const uniforms = (): Float64Array => Float64Array.from({ length: N }, () => random.uniform());
const columns = [uniforms(), uniforms(), uniforms()];
const features = { rows: N, features: columns.map((values) => ({ kind: 'numeric' as const, values })) };
const hooks = { yieldToEventLoop: async () => {} };
const fitted = Int32Array.from({ length: N / 2 }, (_, at) => 2 * at);
const crossFit = (values: Float64Array) =>
  fitCrossFittedMean({ features, values, rows: fitted }, createStream(1, 'fits'), hooks);

const correlationOver = (rows: Int32Array, a: Float64Array, b: Float64Array): number => {
  const mean = (values: Float64Array): number => rows.reduce((sum, row) => sum + values[row]! / rows.length, 0);
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (const row of rows) {
    ab += (a[row]! - ma) * (b[row]! - mb);
    aa += (a[row]! - ma) ** 2;
    bb += (b[row]! - mb) ** 2;
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0;
};

test('the mean of a row comes from fits that did not see its number', async () => {
  const others = Int32Array.from({ length: N / 2 }, (_, at) => 2 * at + 1);
  const truth = columns[0]!.map((x, row) => Math.sin(5 * x) + columns[1]![row]!);
  const noise = Float64Array.from({ length: N }, random.normal);
  const { trees, means } = await crossFit(truth.map((own, row) => own + noise[row]!));
  expect(correlationOver(fitted, means, truth)).toBeGreaterThan(0.9);
  expect(correlationOver(others, means, truth)).toBeGreaterThan(0.9);
  const errors = means.map((own, row) => own - truth[row]!);
  // Of 2,000 rows a correlation has a standard error of .022.
  expect(Math.abs(correlationOver(fitted, errors, noise))).toBeLessThan(0.08);
  const seen = finish(meansOf(trees, features)).map((own, row) => own - truth[row]!);
  expect(correlationOver(fitted, seen, noise)).toBeGreaterThan(0.15);
});

test('rows that were not fitted to have the mean of all fits', async () => {
  const { trees, means } = await crossFit(columns[2]!.map((x) => x + 0.1 * random.normal()));
  const pooled = finish(meansOf(trees, features));
  for (let row = 1; row < N; row += 2) expect(means[row]).toBe(pooled[row]);
  expect(fitted.some((row) => means[row] !== pooled[row])).toBe(true);
});
