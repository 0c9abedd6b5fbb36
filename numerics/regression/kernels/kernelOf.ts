/** Which kernel the rows of a regression get: a family's own where one stands here, else the family's function of a row. */

import { familyOf } from '../../distributions/families.ts';
import type { ResponseName } from '../../distributions/family.ts';
import { familyKernel, type RowKernel } from '../rowKernel.ts';
import type { RegressionSpec } from '../spec.ts';
import { bernoulliKernel } from './bernoulli.ts';
import { betaKernel } from './beta.ts';
import { gammaKernel } from './gamma.ts';
import { gaussianKernel } from './gaussian.ts';
import { negativeBinomialKernel } from './negativeBinomial.ts';
import { poissonKernel, weightedSum } from './poisson.ts';
import { studentTKernel } from './studentT.ts';
import { truncatedNegativeBinomialKernel } from './truncatedNegativeBinomial.ts';
import { truncatedPoissonKernel } from './truncatedPoisson.ts';
import { zeroInflatedNegativeBinomialKernel } from './zeroInflatedNegativeBinomial.ts';
import { zeroInflatedPoissonKernel } from './zeroInflatedPoisson.ts';

/** `slow`: the kernel of the family itself. */
type Maker = (y: Float64Array, w: Float64Array, slow: RowKernel) => RowKernel;

/** Where only the location has a linear predictor. */
const LOCATION: Partial<Record<ResponseName, Maker>> = {
  bernoulli: bernoulliKernel,
  poisson: poissonKernel,
  negative_binomial: negativeBinomialKernel,
  gamma: gammaKernel,
  beta: betaKernel,
  student_t: studentTKernel,
  zero_inflated_poisson: (y, w) => zeroInflatedPoissonKernel(y, w, false),
  zero_inflated_negative_binomial: (y, w) => zeroInflatedNegativeBinomialKernel(y, w, false),
  truncated_poisson: truncatedPoissonKernel,
  truncated_negative_binomial: truncatedNegativeBinomialKernel,
};

/** Where the location and, last, the extra zeros have one. */
const LOCATION_AND_ZEROS: Partial<Record<ResponseName, Maker>> = {
  zero_inflated_poisson: (y, w) => zeroInflatedPoissonKernel(y, w, true),
  zero_inflated_negative_binomial: (y, w) => zeroInflatedNegativeBinomialKernel(y, w, true),
};

/** Where the location and the scale have one. */
const LOCATION_AND_SCALE: Partial<Record<ResponseName, Maker>> = {
  gaussian: (y, w) => gaussianKernel(y, w, 0),
  lognormal(y, w) {
    const logs = y.map((value) => Math.log(value));
    return gaussianKernel(logs, w, -weightedSum(logs, w, (value) => value));
  },
};

export function kernelOf({ family, y, weights, predictors }: RegressionSpec): RowKernel {
  const linear = predictors.map((predictor) => predictor.kind === 'linear');
  const slow = familyKernel(familyOf(family), y, weights, linear);
  return makerOf(family, linear)?.(y, weights ?? new Float64Array(y.length).fill(1), slow) ?? slow;
}

function makerOf(family: ResponseName, [location, ...others]: boolean[]): Maker | undefined {
  if (!location) return undefined;
  if (!others.some(Boolean)) return LOCATION[family];
  if (others.every(Boolean) && LOCATION_AND_SCALE[family]) return LOCATION_AND_SCALE[family];
  return others.indexOf(true) === others.length - 1 ? LOCATION_AND_ZEROS[family] : undefined;
}
