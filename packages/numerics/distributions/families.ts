import { bernoulli } from './bernoulli.ts';
import { beta } from './beta.ts';
import { truncated, withAtom, zeroInflated } from './composed.ts';
import type { ResponseFamily } from './family.ts';
import { gamma } from './gamma.ts';
import { gaussian } from './gaussian.ts';
import { lognormal } from './lognormal.ts';
import { negativeBinomial } from './negativeBinomial.ts';
import { poisson } from './poisson.ts';
import { studentT } from './studentT.ts';

const truncatedPoisson = truncated('truncated_poisson', poisson);
const truncatedNegativeBinomial = truncated('truncated_negative_binomial', negativeBinomial);

/** Appends logit P(y = 0); other parameters describe nonzero y. */
const hurdle = (name: string, base: ResponseFamily, words: string): ResponseFamily =>
  withAtom(name, base, { y: 0, parameter: 'zero', index: base.parameters.length, words });

/** logit mu, log phi, logit one. */
const oneInflatedBeta = withAtom('one_inflated_beta', beta, {
  y: 1,
  parameter: 'one',
  index: 2,
  words: 'numbers above 0 and up to 1',
});

/** logit mu, log phi, logit P(y = 0), logit P(y = 1 | y ≠ 0). */
const zeroOneInflatedBeta = withAtom('zero_one_inflated_beta', oneInflatedBeta, {
  y: 0,
  parameter: 'zero',
  index: 2,
  words: 'numbers from 0 to 1',
});

const TARGETS = {
  gaussian,
  student_t: studentT,
  lognormal,
  gamma,
  beta,
  bernoulli,
  poisson,
  negative_binomial: negativeBinomial,
  zero_inflated_poisson: zeroInflated('zero_inflated_poisson', poisson),
  zero_inflated_negative_binomial: zeroInflated('zero_inflated_negative_binomial', negativeBinomial),
  zero_inflated_beta: hurdle('zero_inflated_beta', beta, 'numbers from 0 and below 1'),
  one_inflated_beta: oneInflatedBeta,
  zero_one_inflated_beta: zeroOneInflatedBeta,
  hurdle_gamma: hurdle('hurdle_gamma', gamma, 'numbers from 0'),
  hurdle_lognormal: hurdle('hurdle_lognormal', lognormal, 'numbers from 0'),
  hurdle_poisson: hurdle('hurdle_poisson', truncatedPoisson, 'whole numbers from 0'),
  hurdle_negative_binomial: hurdle('hurdle_negative_binomial', truncatedNegativeBinomial, 'whole numbers from 0'),
} satisfies Record<string, ResponseFamily>;

const TRUNCATED = {
  truncated_poisson: truncatedPoisson,
  truncated_negative_binomial: truncatedNegativeBinomial,
} satisfies Record<string, ResponseFamily>;

/** Families of a response. */
export type FamilyName = keyof typeof TARGETS;

/** Includes parts of families. */
export type ResponseName = FamilyName | keyof typeof TRUNCATED;

const keysOf = <Name extends string>(table: Readonly<Record<Name, ResponseFamily>>): Name[] =>
  Object.keys(table).filter((name): name is Name => name in table);

export const FAMILY_NAMES: readonly FamilyName[] = keysOf(TARGETS);
export const TRUNCATED_NAMES = keysOf(TRUNCATED);

const REGISTRY: Readonly<Record<ResponseName, ResponseFamily>> = { ...TARGETS, ...TRUNCATED };

/** Returns the family of a name. */
export const familyOf = (name: ResponseName): ResponseFamily => REGISTRY[name];

export const FAMILIES: readonly ResponseFamily[] = FAMILY_NAMES.map(familyOf);

export const hasExtraZeros = (family: ResponseName): boolean =>
  family === 'zero_inflated_poisson' || family === 'zero_inflated_negative_binomial';
