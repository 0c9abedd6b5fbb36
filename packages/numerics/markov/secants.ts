/** Anderson acceleration by the combination of recent steps with the smallest predicted gradient. */
import { cholesky, solveCholesky } from '../linalg/dense.ts';

const MEMORY = 10;
/** Relative ridge, since steps may hardly differ. */
const RIDGE = 1e-8;

interface Secant {
  change: Float64Array;
  slope: Float64Array;
}

export interface Secants {
  isEmpty(): boolean;
  /** Increment at `gradient`; a plain step is `step` times it. */
  next(gradient: Float64Array, step: number): Float64Array;
  push(change: Float64Array, slope: Float64Array): void;
  clear(): void;
}

/** Weights of squared slopes. */
export function createSecants(weights: Float64Array): Secants {
  const kept: Secant[] = [];
  const products: number[][] = [];
  const product = (a: Float64Array, b: Float64Array): number => {
    let sum = 0;
    for (let cell = 0; cell < a.length; cell++) sum += weights[cell]! * a[cell]! * b[cell]!;
    return sum;
  };
  const drop = (): void => {
    kept.shift();
    products.shift();
    for (const row of products) row.shift();
  };
  return {
    isEmpty: () => kept.length === 0,
    next(gradient, step) {
      const shares = solve(
        products,
        kept.map(({ slope }) => product(slope, gradient)),
      );
      const left = gradient.slice();
      const out = new Float64Array(gradient.length);
      for (const [at, { change, slope }] of kept.entries()) {
        const share = shares[at]!;
        for (let cell = 0; cell < out.length; cell++) {
          out[cell]! -= share * change[cell]!;
          left[cell]! -= share * slope[cell]!;
        }
      }
      for (let cell = 0; cell < out.length; cell++) out[cell]! -= step * left[cell]!;
      return out;
    },
    push(change, slope) {
      if (kept.length === MEMORY) drop();
      kept.push({ change, slope });
      const row = kept.map((other) => product(slope, other.slope));
      for (const [at, known] of products.entries()) known.push(row[at]!);
      products.push(row);
    },
    clear() {
      kept.length = 0;
      products.length = 0;
    },
  };
}

/** Zeros if singular. */
function solve(products: readonly (readonly number[])[], right: readonly number[]): Float64Array {
  const size = right.length;
  const matrix = Float64Array.from(products.flat());
  for (let at = 0; at < size; at++) matrix[at * size + at]! *= 1 + RIDGE;
  const factor = size > 0 ? cholesky(matrix, size) : undefined;
  return factor ? solveCholesky(factor, size, Float64Array.from(right)) : new Float64Array(size);
}
