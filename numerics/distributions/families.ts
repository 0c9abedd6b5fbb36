/** The registry of response families: the one place that lists them. */
import { bernoulli } from './bernoulli.ts';
import { beta } from './beta.ts';
import { FAMILY_NAMES, type ResponseFamily, type ResponseName } from './family.ts';
import { gamma } from './gamma.ts';
import { gaussian } from './gaussian.ts';
import { hurdleGamma } from './hurdleGamma.ts';
import { hurdleLognormal } from './hurdleLognormal.ts';
import { hurdleNegativeBinomial } from './hurdleNegativeBinomial.ts';
import { hurdlePoisson } from './hurdlePoisson.ts';
import { lognormal } from './lognormal.ts';
import { negativeBinomial } from './negativeBinomial.ts';
import { oneInflatedBeta } from './oneInflatedBeta.ts';
import { poisson } from './poisson.ts';
import { studentT } from './studentT.ts';
import { truncatedNegativeBinomial } from './truncatedNegativeBinomial.ts';
import { truncatedPoisson } from './truncatedPoisson.ts';
import { zeroInflatedBeta } from './zeroInflatedBeta.ts';
import { zeroInflatedNegativeBinomial } from './zeroInflatedNegativeBinomial.ts';
import { zeroInflatedPoisson } from './zeroInflatedPoisson.ts';
import { zeroOneInflatedBeta } from './zeroOneInflatedBeta.ts';

const REGISTRY: Record<ResponseName, ResponseFamily> = {
  gaussian,
  student_t: studentT,
  lognormal,
  gamma,
  beta,
  bernoulli,
  poisson,
  negative_binomial: negativeBinomial,
  zero_inflated_poisson: zeroInflatedPoisson,
  zero_inflated_negative_binomial: zeroInflatedNegativeBinomial,
  zero_inflated_beta: zeroInflatedBeta,
  one_inflated_beta: oneInflatedBeta,
  zero_one_inflated_beta: zeroOneInflatedBeta,
  hurdle_gamma: hurdleGamma,
  hurdle_lognormal: hurdleLognormal,
  hurdle_poisson: hurdlePoisson,
  hurdle_negative_binomial: hurdleNegativeBinomial,
  truncated_poisson: truncatedPoisson,
  truncated_negative_binomial: truncatedNegativeBinomial,
};

export const familyOf = (name: ResponseName): ResponseFamily => REGISTRY[name];

/** Those that a target can have, in the order of FAMILY_NAMES. */
export const FAMILIES: readonly ResponseFamily[] = FAMILY_NAMES.map(familyOf);
