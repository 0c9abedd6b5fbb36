/** A reference model as JSON: what both samplers of the bench read. */

import type { ResponseName } from '../../packages/numerics/distributions/families.ts';
import { familyOf } from '../../packages/numerics/distributions/families.ts';
import type { PredictorSpec, Prior, RegressionSpec } from '../../packages/numerics/regression/spec.ts';

/** Written and read by one version of this code. */
export interface PlainModel {
  name: string;
  family: ResponseName;
  y: number[];
  /** n rows of p. */
  x: number[][];
  /** Of the p coefficients. */
  priors: Prior[];
  /** By parameter. */
  constants: Record<string, Prior>;
}

export function plainModel(name: string, { family, y, predictors }: RegressionSpec): PlainModel {
  const [location, ...others] = predictors;
  if (location?.kind !== 'linear' || location.design.kind !== 'dense') throw new Error(`${name} has no dense design`);
  const { values, rows, cols } = location.design;
  return {
    name,
    family,
    y: [...y],
    x: Array.from({ length: rows }, (_, i) => [...values.subarray(i * cols, (i + 1) * cols)]),
    priors: [...location.priors],
    constants: Object.fromEntries(
      others.flatMap((other) => (other.kind === 'constant' ? [[other.parameter, other.prior]] : [])),
    ),
  };
}

export function specOf({ family, y, x, priors, constants }: PlainModel): RegressionSpec {
  const cols = priors.length;
  const values = new Float64Array(x.length * cols);
  x.forEach((row, i) => {
    values.set(row, i * cols);
  });
  const location: PredictorSpec = {
    kind: 'linear',
    parameter: 'mu',
    design: { kind: 'dense', rows: x.length, cols, values },
    names: priors.map((_, j) => `b${j}`),
    priors,
    pools: [],
  };
  const others = familyOf(family)
    .parameters.slice(1)
    .map(({ name }): PredictorSpec => ({ kind: 'constant', parameter: name, prior: constants[name]! }));
  return { family, y: Float64Array.from(y), weights: null, predictors: [location, ...others] };
}
