/** Log density of rows and its derivatives by their linear predictors: what a family is to the blocked likelihood. */
import type { ResponseFamily } from '../distributions/family.ts';

/** Rows of one block; K parameters. */
export interface RowKernel {
  /** Called before the blocks of one evaluation: `constants` (K) has link-scale values, those of linear predictors unused. */
  prepare(constants: Float64Array): void;
  /**
   * Rows from … from + count - 1. Reads `eta[k][i]` of linear predictors, writes `d[k][i]` (the row's weight included),
   * adds to `constantGradient[k]` for constants. Returns the weighted log density.
   */
  block(
    from: number,
    count: number,
    eta: readonly Float64Array[],
    d: readonly Float64Array[],
    constantGradient: Float64Array,
  ): number;
  /** Called after the blocks: what no single row has, with its derivatives by constants. */
  finish(constantGradient: Float64Array): number;
}

/** Any family, by its own function of one row: the slow and legible kernel. `linear`: which parameters vary by row. */
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
