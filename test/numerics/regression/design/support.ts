/** Predictors to learn designs from, the same at every run. */
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { applyDesign } from '../../../../packages/numerics/regression/design/applyDesign.ts';
import type { Design, Predictor } from '../../../../packages/numerics/regression/design/design.ts';
import { type DesignOptions, fitDesign } from '../../../../packages/numerics/regression/design/fitDesign.ts';
import type { Matrix } from '../../../../packages/numerics/regression/spec.ts';

export const random = (name: string) => createStream(11, name);

export const numeric = (name: string, values: ArrayLike<number>): Predictor => ({
  kind: 'numeric',
  name,
  values: Float64Array.from(values),
});

export const category = (name: string, codes: ArrayLike<number>, levels: readonly string[]): Predictor => ({
  kind: 'category',
  name,
  codes: Int32Array.from(codes),
  levels,
});

export const normals = (n: number, name: string): Float64Array => {
  const stream = random(name);
  return Float64Array.from({ length: n }, () => stream.normal());
};

export const learn = (
  predictors: readonly Predictor[],
  values: Float64Array,
  options: Partial<DesignOptions> = {},
): Design => fitDesign(predictors, { values, weights: null }, options, random('design'));

/** Rows as plain arrays. */
export function rowsOf(x: Matrix): number[][] {
  return Array.from({ length: x.rows }, (_, row) => {
    const out = new Array<number>(x.cols).fill(0);
    if (x.kind === 'dense') return [...x.values.subarray(row * x.cols, (row + 1) * x.cols)];
    for (let k = x.offsets[row]!; k < x.offsets[row + 1]!; k++) out[x.at[k]!] = x.values[k]!;
    return out;
  });
}

export const matrixRows = (design: Design, predictors: readonly Predictor[], n: number): number[][] =>
  rowsOf(applyDesign(design, predictors, n));

/** Two numbers that interact, one with missing cells, and two categories, of many and of two levels. */
export function mixedPredictors(n: number): { predictors: Predictor[]; response: Float64Array } {
  const a = normals(n, 'a');
  const b = normals(n, 'b');
  const stream = random('codes');
  const city = Int32Array.from({ length: n }, () => stream.integer(7) - 1);
  const side = Int32Array.from({ length: n }, () => stream.integer(2));
  const noise = normals(n, 'noise');
  const response = a.map((value, i) => Math.sin(2 * value) + value * b[i]! + city[i]! / 4 + side[i]! + noise[i]! / 3);
  const holes = b.map((value, i) => (i % 11 === 4 ? Number.NaN : value));
  const predictors = [
    numeric('a', a),
    numeric('b', holes),
    category('city', city, ['Bergen', 'Bodø', 'Hamar', 'Oslo', 'Skien', 'Tromsø']),
    category('side', side, ['left', 'right']),
  ];
  return { predictors, response };
}
