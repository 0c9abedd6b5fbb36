/** Which kernel the rows of a regression get: a family's own where one stands here, else the family's function of a row. */

import { familyOf } from '../../distributions/families.ts';
import type { FamilyName } from '../../distributions/family.ts';
import { familyKernel, type RowKernel } from '../rowKernel.ts';
import type { RegressionSpec } from '../spec.ts';
import { bernoulliKernel } from './bernoulli.ts';
import { betaKernel } from './beta.ts';
import { gammaKernel } from './gamma.ts';
import { gaussianKernel } from './gaussian.ts';
import { negativeBinomialKernel } from './negativeBinomial.ts';
import { poissonKernel, weightedSum } from './poisson.ts';
import { studentTKernel } from './studentT.ts';
import { zeroInflatedPoissonKernel } from './zeroInflatedPoisson.ts';

/** `slow`: the kernel of the family itself. */
type Maker = (y: Float64Array, w: Float64Array, slow: RowKernel) => RowKernel;

/** Where only the location has a linear predictor. */
const LOCATION: Partial<Record<FamilyName, Maker>> = {
  bernoulli: bernoulliKernel,
  poisson: poissonKernel,
  negative_binomial: negativeBinomialKernel,
  gamma: gammaKernel,
  beta: betaKernel,
  student_t: studentTKernel,
  zero_inflated_poisson: zeroInflatedPoissonKernel,
};

/** Where the location and the scale have one. */
const LOCATION_AND_SCALE: Partial<Record<FamilyName, Maker>> = {
  gaussian: (y, w) => gaussianKernel(y, w, 0),
  lognormal(y, w) {
    const logs = y.map((value) => Math.log(value));
    return gaussianKernel(logs, w, -weightedSum(logs, w, (value) => value));
  },
};

export function kernelOf({ family, y, weights, predictors }: RegressionSpec): RowKernel {
  const linear = predictors.map((predictor) => predictor.kind === 'linear');
  const slow = familyKernel(familyOf(family), y, weights, linear);
  const [location, ...others] = linear;
  const makers = others.every(Boolean) && others.length > 0 ? LOCATION_AND_SCALE : LOCATION;
  const isKnown = location && (makers === LOCATION_AND_SCALE || others.every((other) => !other));
  const maker = isKnown ? makers[family] : undefined;
  return maker?.(y, weights ?? new Float64Array(y.length).fill(1), slow) ?? slow;
}
