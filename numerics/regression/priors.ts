/** Log densities of priors on their natural scale, up to constants, with two derivatives. */
import type { Prior } from './spec.ts';

/** What a term adds to a log density of one variable. */
export interface Term {
  value: number;
  slope: number;
  curvature: number;
}

const NOTHING: Term = { value: 0, slope: 0, curvature: 0 };
const OUTSIDE: Term = { value: Number.NEGATIVE_INFINITY, slope: 0, curvature: 0 };

/** The prior's term at `x`; -Infinity outside its support. Normal, t and Cauchy on a positive parameter are their halves. */
export function priorTerm(prior: Prior, x: number): Term {
  switch (prior.kind) {
    case 'flat':
      return NOTHING;
    case 'normal': {
      const precision = 1 / (prior.sd * prior.sd);
      const centred = x - prior.mean;
      return { value: -0.5 * precision * centred * centred, slope: -precision * centred, curvature: -precision };
    }
    case 'student_t':
      return studentTerm(prior.df, (x - prior.mean) / prior.scale, prior.scale);
    case 'cauchy':
      return studentTerm(1, (x - prior.mean) / prior.scale, prior.scale);
    case 'exponential':
      return x < 0 ? OUTSIDE : { value: -prior.rate * x, slope: -prior.rate, curvature: 0 };
    case 'exponential_above':
      return x <= 0 ? OUTSIDE : exponentialAboveTerm(prior.rate, prior.rows * prior.error * prior.error, x);
    case 'gamma':
      return x < 0 ? OUTSIDE : powerTerm(prior.shape - 1, x, -prior.rate);
    case 'beta':
      return x < 0 || x > 1 ? OUTSIDE : sum(powerTerm(prior.a - 1, x, 0), mirrored(powerTerm(prior.b - 1, 1 - x, 0)));
    case 'uniform':
      return x < prior.lower || x > prior.upper ? OUTSIDE : NOTHING;
  }
}

function studentTerm(df: number, z: number, scale: number): Term {
  const spread = df + z * z;
  return {
    value: -0.5 * (df + 1) * Math.log1p((z * z) / df),
    slope: (-(df + 1) * z) / (spread * scale),
    curvature: (-(df + 1) * (df - z * z)) / (spread * spread * scale * scale),
  };
}

function exponentialAboveTerm(rate: number, squares: number, x: number): Term {
  const pull = squares / x / x;
  return { value: -rate * x - 0.5 * pull, slope: -rate + pull / x, curvature: (-3 * pull) / x / x };
}

/** power · log x + rate · x, for x ≥ 0. */
function powerTerm(power: number, x: number, rate: number): Term {
  if (power === 0) return { value: rate * x, slope: rate, curvature: 0 };
  return { value: power * Math.log(x) + rate * x, slope: power / x + rate, curvature: -power / (x * x) };
}

const mirrored = (term: Term): Term => ({ ...term, slope: -term.slope });

export const sum = (a: Term, b: Term): Term => ({
  value: a.value + b.value,
  slope: a.slope + b.slope,
  curvature: a.curvature + b.curvature,
});
