/** Evaluates rows in blocks that fit the cache. n rows, K parameters, m entries of θ. */

import type { ResponseFamily } from '../distributions/family.ts';
import { productsOf } from './blockProducts.ts';
import { addWeightedGram, addWeightedProduct } from './designGram.ts';
import { BLOCK } from './packed/designKernels.ts';
import type { Likelihood, PredictorLayout } from './posterior.ts';

/** Truncation and rounding errors of differences are both about 1e-9. */
const STEP = 1e-4;

export function blockedLikelihood(rows: number, layouts: readonly PredictorLayout[], kernel: RowKernel): Likelihood {
  const last = layouts.at(-1)!;
  const size = last.at + last.size;
  const constants = new Float64Array(layouts.length);
  const constantGradient = new Float64Array(layouts.length);
  const products = layouts.map(({ design }) => design && productsOf(design));
  const none = new Float64Array(0);
  const eta = products.map((own) => own?.eta ?? none);
  const sigma = layouts.findIndex((layout) => layout.parameter === 'sigma');
  const d = products.map((own) => own?.d ?? none);

  function prepare(theta: Float64Array): void {
    layouts.forEach(({ at }, k) => {
      const own = products[k];
      if (own) own.begin(theta, at);
      else constants[k] = theta[at]!;
    });
    constantGradient.fill(0);
    kernel.prepare(constants);
  }

  function linearPredictors(from: number, count: number): void {
    for (const own of products) own?.multiply(from, count);
  }

  function evaluate(theta: Float64Array, gradient: Float64Array): number {
    gradient.fill(0, 0, size);
    prepare(theta);
    let value = 0;
    for (let from = 0; from < rows; from += BLOCK) {
      const count = Math.min(BLOCK, rows - from);
      linearPredictors(from, count);
      value += kernel.block(from, count, eta, d, constantGradient);
      for (const own of products) own?.addTransposed(from, count);
    }
    value += kernel.finish(constantGradient);
    layouts.forEach(({ at }, k) => {
      const own = products[k];
      if (own) own.finish(gradient, at);
      else gradient[at] = constantGradient[k]!;
    });
    return value;
  }

  /** Shifts predictor `moved` by `sign` steps and writes derivatives. */
  function shiftedGradients(theta: Float64Array, moved: number, sign: number, into: Shifted): void {
    const layout = layouts[moved]!;
    prepare(theta);
    if (!layout.design) {
      constants[moved]! += sign * STEP;
      kernel.prepare(constants);
    }
    for (let from = 0; from < rows; from += BLOCK) {
      const count = Math.min(BLOCK, rows - from);
      linearPredictors(from, count);
      for (let i = 0; i < count; i++) {
        const step = layout.design ? STEP * scaleOf(layout, i) : STEP;
        into.steps[from + i] = step;
        if (layout.design) eta[moved]![i]! += sign * step;
      }
      kernel.block(from, count, eta, d, constantGradient);
      for (let k = 0; k < layouts.length; k++) {
        if (layouts[k]!.design) into.byRow[k]!.set(d[k]!.subarray(0, count), from);
      }
    }
    kernel.finish(constantGradient);
    into.sums.set(constantGradient);
  }

  /** Scale of a step: 1 on log and logit scales, σ on the scale of y. */
  function scaleOf(layout: PredictorLayout, i: number): number {
    if (layout.link !== 'identity' || sigma < 0) return 1;
    return Math.exp(layouts[sigma]!.design ? eta[sigma]![i]! : constants[sigma]!);
  }

  /** Σ xₖ Wₖₗ xₗᵀ by central differences of row gradients. */
  function subtractCurvature(theta: Float64Array, hessian: Float64Array, stride: number): void {
    const above = makeShifted(rows, layouts);
    const below = makeShifted(rows, layouts);
    const w = new Float64Array(rows);
    const constantStep = 2 * STEP;
    layouts.forEach((moved, k) => {
      shiftedGradients(theta, k, 1, above);
      shiftedGradients(theta, k, -1, below);
      layouts.forEach((other, l) => {
        if (other.design) {
          if (moved.design && l < k) return;
          for (let i = 0; i < rows; i++) w[i] = (below.byRow[l]![i]! - above.byRow[l]![i]!) / (2 * above.steps[i]!);
          if (moved.design) addWeightedGram(moved.design, other.design, w, hessian, stride, moved.at, other.at);
          else addWeightedProduct(other.design, w, hessian, stride, other.at, moved.at);
        } else if (!moved.design && l >= k) {
          const entry = (below.sums[l]! - above.sums[l]!) / constantStep;
          hessian[moved.at * stride + other.at]! += entry;
          if (l !== k) hessian[other.at * stride + moved.at]! += entry;
        }
      });
    });
  }

  return { size, evaluate, subtractCurvature };
}

interface Shifted {
  byRow: Float64Array[];
  sums: Float64Array;
  steps: Float64Array;
}

const makeShifted = (rows: number, layouts: readonly PredictorLayout[]): Shifted => ({
  byRow: layouts.map((layout) => new Float64Array(layout.design ? rows : 0)),
  sums: new Float64Array(layouts.length),
  steps: new Float64Array(rows),
});

export interface RowKernel {
  /** `constants` (K): on the link scale; entries of linear predictors are unused. */
  prepare(constants: Float64Array): void;
  /**
   * Returns the weighted log density of `count` rows. Reads `eta[k][i]`, writes `d[k][i]` and adds to
   * `constantGradient[k]`.
   */
  block(
    from: number,
    count: number,
    eta: readonly Float64Array[],
    d: readonly Float64Array[],
    constantGradient: Float64Array,
  ): number;
  /** Adds terms that belong to no single row. */
  finish(constantGradient: Float64Array): number;
}

/** Slow kernel for any family. `linear`: which parameters vary by row. */
export function familyKernel(
  family: ResponseFamily,
  y: Float64Array,
  weights: Float64Array | null,
  linear: readonly boolean[],
): RowKernel {
  const count = family.parameters.length;
  const row = new Float64Array(count);
  const slopes = new Float64Array(count);
  return {
    prepare: (constants) => row.set(constants),
    block(from, rows, eta, d, constantGradient) {
      let value = 0;
      for (let i = 0; i < rows; i++) {
        for (let k = 0; k < count; k++) if (linear[k]) row[k] = eta[k]![i]!;
        const weight = weights?.[from + i] ?? 1;
        value += weight * family.gradient(y[from + i]!, row, slopes);
        for (let k = 0; k < count; k++) {
          if (linear[k]) d[k]![i] = weight * slopes[k]!;
          else constantGradient[k]! += weight * slopes[k]!;
        }
      }
      return value;
    },
    finish: () => 0,
  };
}
