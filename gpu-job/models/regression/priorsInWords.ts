/** Priors as people write them, one a parameter, in the order of the posterior's names. */
import type { Prior, RegressionSpec } from '../../../numerics/regression/spec.ts';

export function priorsInWords({ predictors }: RegressionSpec): string[] {
  const words: string[] = [];
  const scales: string[] = [];
  for (const predictor of predictors) {
    if (predictor.kind === 'constant') {
      words.push(inWords(predictor.prior));
      continue;
    }
    const own = predictor.priors.map(inWords);
    for (const { name, columns, sds, scale } of predictor.pools) {
      columns.forEach((column, j) => {
        own[column] = `N(0, ${short(sds[j]!)} sd(${name}))`;
      });
      scales.push(inWords(scale));
    }
    words.push(...own);
  }
  return [...words, ...scales];
}

function inWords(prior: Prior): string {
  switch (prior.kind) {
    case 'flat':
      return 'flat';
    case 'normal':
      return `N(${short(prior.mean)}, ${short(prior.sd)})`;
    case 'student_t':
      return `t(${short(prior.df)}, ${short(prior.mean)}, ${short(prior.scale)})`;
    case 'cauchy':
      return `Cauchy(${short(prior.mean)}, ${short(prior.scale)})`;
    case 'exponential':
    case 'exponential_above':
      return `Exp(${short(prior.rate)})`;
    case 'gamma':
      return `Gamma(${short(prior.shape)}, ${short(prior.rate)})`;
    case 'beta':
      return `Beta(${short(prior.a)}, ${short(prior.b)})`;
    case 'uniform':
      return `U(${short(prior.lower)}, ${short(prior.upper)})`;
  }
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
