import { describe, expect, test } from 'vitest';
import type { FamilyName } from '../../../packages/numerics/distributions/families.ts';
import { familyOf } from '../../../packages/numerics/distributions/families.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { type Factor, productsOf } from '../../../packages/numerics/regression/blockProducts.ts';
import { addWeightedGram, addWeightedProduct } from '../../../packages/numerics/regression/designGram.ts';
import { openLikelihood, rowLikelihood } from '../../../packages/numerics/regression/openLikelihood.ts';
import { BLOCK } from '../../../packages/numerics/regression/packed/designKernels.ts';
import { openDesign } from '../../../packages/numerics/regression/packed/openDesign.ts';
import { packDesign } from '../../../packages/numerics/regression/packed/packDesign.ts';
import { isPackable, prepareRegression } from '../../../packages/numerics/regression/prepareRegression.ts';
import type { Matrix, RegressionSpec, SparseMatrix } from '../../../packages/numerics/regression/spec.ts';
import { shareArrays } from '../../../packages/numerics/workers.ts';
import { expectNear, rounding } from '../../support/tolerance.ts';

const random = createStream(8, 'packed');
const floats = (length: number): Float64Array => Float64Array.from({ length }, () => Math.fround(random.normal()));

/** Rows of an intercept, `numbers` columns, then one of `levels` levels, none in every fifth row. */
function design(rows: number, numbers: number, levels: number): SparseMatrix {
  const at: number[] = [];
  const values: number[] = [];
  const offsets = new Int32Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    const own = [1, ...floats(numbers)];
    at.push(...own.keys());
    values.push(...own);
    if (i % 5 !== 0) {
      at.push(1 + numbers + (i % levels));
      values.push(1);
    }
    offsets[i + 1] = at.length;
  }
  const cols = 1 + numbers + levels;
  return { kind: 'sparse', rows, cols, offsets, at: Int32Array.from(at), values: Float64Array.from(values) };
}

function packed(x: Matrix): Factor {
  const own = packDesign(x);
  if (!own) throw new Error('it is worth packing');
  return openDesign(own);
}

/** Xβ of all rows, and Xᵀd. */
function productsOfAll(x: Factor, beta: Float64Array, d: Float64Array): [number[], number[]] {
  const products = productsOf(x);
  const eta: number[] = [];
  const sums = new Float64Array(x.cols);
  products.begin(beta, 0);
  for (let from = 0; from < x.rows; from += BLOCK) {
    const count = Math.min(BLOCK, x.rows - from);
    products.multiply(from, count);
    eta.push(...products.eta.subarray(0, count));
    for (let i = 0; i < count; i++) products.d[i] = d[from + i]!;
    products.addTransposed(from, count);
  }
  products.finish(sums, 0);
  return [eta, [...sums]];
}

const expectSums = (one: ArrayLike<number>, other: ArrayLike<number>): void => {
  const [a, b] = [Array.from(one), Array.from(other)];
  expect(a.length).toBe(b.length);
  // Entries are exact as f32, so that only the order of sums differs.
  const most = b.reduce((all, value) => Math.max(all, Math.abs(value)), 1);
  a.forEach((value, i) => {
    expectNear(value, b[i]!, rounding(1e-12 * most));
  });
};

describe('a packed design', () => {
  test.each([
    [1, 0, 3],
    [BLOCK, 3, 4],
    [2 * BLOCK + 5, 6, 9],
    [300, 4, 0],
  ])('of %i rows, %i numbers and %i levels has the products of the plain one', (rows, numbers, levels) => {
    const x = design(rows, numbers, Math.max(1, levels));
    const [beta, d, w] = [floats(x.cols), floats(rows), floats(rows)];
    const own = packed(x);
    const [eta, sums] = productsOfAll(own, beta, d);
    const [etaPlain, sumsPlain] = productsOfAll(x, beta, d);
    expectSums(eta, etaPlain);
    expectSums(sums, sumsPlain);
    const size = x.cols + 1;
    const [gram, gramPlain] = [new Float64Array(size * size), new Float64Array(size * size)];
    for (const [of, target] of [
      [own, gram],
      [x, gramPlain],
    ] as const) {
      addWeightedGram(of, of, w, target, size, 0, 0);
      addWeightedProduct(of, w, target, size, 0, x.cols);
    }
    expectSums(gram, gramPlain);
  });

  test('has the products of a dense one, and of it with another design', () => {
    const [x, z] = [design(200, 5, 6), design(200, 2, 3)];
    const values = new Float64Array(200 * x.cols);
    for (let i = 0; i < 200; i++)
      for (let k = x.offsets[i]!; k < x.offsets[i + 1]!; k++) values[i * x.cols + x.at[k]!] = x.values[k]!;
    const dense: Matrix = { kind: 'dense', rows: 200, cols: x.cols, values };
    const [beta, d] = [floats(x.cols), floats(200)];
    expect(productsOfAll(packed(dense), beta, d)).toEqual(productsOfAll(packed(x), beta, d));
    const size = x.cols + z.cols;
    const [mixed, plain] = [new Float64Array(size * size), new Float64Array(size * size)];
    addWeightedGram(packed(x), packed(z), d, mixed, size, 0, x.cols);
    addWeightedGram(x, z, d, plain, size, 0, x.cols);
    expectSums(mixed, plain);
  });

  test('forgets what an evaluation without a number left behind', () => {
    const x = design(BLOCK + 3, 3, 4);
    const own = packed(x);
    const [beta, d] = [floats(x.cols), floats(x.rows)];
    const before = productsOfAll(own, beta, d);
    productsOfAll(
      own,
      beta.map(() => Number.NaN),
      d.map(() => Number.NaN),
    );
    expect(productsOfAll(own, beta, d)).toEqual(before);
  });

  test('stays where it is when it is sent to a thread, and takes less than half of the plain one', () => {
    const x = design(4000, 12, 40);
    const own = packDesign(x)!;
    expect(shareArrays({ own }).own.memory).toBe(own.memory);
    const plain = x.values.byteLength + x.at.byteLength + x.offsets.byteLength;
    expect(own.memory.buffer.byteLength).toBeLessThan(0.5 * plain);
  });

  test('is left plain where few entries of its columns are numbers', () => {
    const rows = 100;
    const at = Int32Array.from({ length: rows }, (_, i) => i % 20);
    const offsets = Int32Array.from({ length: rows + 1 }, (_, i) => i);
    expect(packDesign({ kind: 'sparse', rows, cols: 20, offsets, at, values: floats(rows) })).toBeUndefined();
  });
});

describe('a regression with long gradients', () => {
  const rows = 17_000;
  const x = design(rows, 50, 30);
  const regression = (family: FamilyName): RegressionSpec => {
    const { parameters, draw } = familyOf(family);
    const eta = new Float64Array(parameters.length);
    const y = Float64Array.from({ length: rows }, (_, i) => draw(eta.fill(0).fill(0.1 * (i % 7), 0, 1), random));
    const names = Array.from({ length: x.cols }, (_, j) => `x${j}`);
    const priors = names.map(() => ({ kind: 'normal' as const, mean: 0, sd: 1 }));
    return {
      family,
      y,
      weights: null,
      predictors: [
        { kind: 'linear', parameter: 'mu', design: x, names, priors, pools: [] },
        ...parameters
          .slice(1)
          .map(
            ({ name }) => ({ kind: 'constant', parameter: name, prior: { kind: 'gamma', shape: 2, rate: 1 } }) as const,
          ),
      ],
    };
  };

  test.each<FamilyName>(['student_t', 'gamma', 'negative_binomial'])(
    'is packed, and has the density of %s',
    (family) => {
      const spec = regression(family);
      expect(isPackable(spec)).toBe(true);
      const { data } = prepareRegression(spec);
      expect(data.kind).toBe('packed');
      const [fast, slow] = [openLikelihood(data), rowLikelihood(spec)];
      const theta = floats(fast.size).map((value) => 0.1 * value);
      const [one, other] = [new Float64Array(fast.size), new Float64Array(fast.size)];
      expectSums([fast.evaluate(theta, one)], [slow.evaluate(theta, other)]);
      expectSums(one, other);
    },
  );
});
