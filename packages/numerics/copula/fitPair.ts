import { normalCdf, normalQuantile } from '../special/normal.ts';
import { pairLogLikelihood } from './discrete.ts';
import { kendallTau } from './kendallTau.ts';
import { independence, offEdge, type PairCopula, type PairData } from './pairCopula.ts';
import { fitTll, type TllDegree } from './tll/fitTll.ts';

export type Criterion = 'loglik' | 'aic' | 'bic' | 'mbicv';

export interface PairChoices {
  tllDegree: TllDegree;
  criterion: Criterion;
  /** Prior probability of dependence for mBICV, in (0, 1). */
  psi0: number;
}

export interface PairFit {
  pair: PairCopula;
  /** Relative to independent margins. */
  logLikelihood: number;
}

export const INDEPENDENT: PairFit = { pair: independence, logLikelihood: 0 };

/** Fits TLL to n ≥ 1 rows, or independence if the criterion prefers it. */
export function fitPair(data: PairData, choices: PairChoices): PairFit {
  const pair = isContinuous(data) ? fitTll(data.u, data.v, choices.tllDegree) : fitDiscrete(data, choices.tllDegree);
  const fit = { pair, logLikelihood: pairLogLikelihood(pair, data) };
  return excess(fit, data.u.length, choices) < 0 ? fit : INDEPENDENT;
}

function excess({ pair, logLikelihood }: PairFit, rows: number, { criterion, psi0 }: PairChoices): number {
  if (criterion === 'loglik') return -2 * logLikelihood;
  if (criterion === 'aic') return -2 * logLikelihood + 2 * pair.parameterCount;
  const bic = -2 * logLikelihood + Math.log(rows) * pair.parameterCount;
  return criterion === 'bic' ? bic : bic - 2 * Math.log(psi0 / (1 - psi0));
}

const isContinuous = (data: PairData): boolean => data.uBelow === null && data.vBelow === null;

// Draws continuous data within discrete steps from a Gaussian copula with the same τ, then twice from the fit. Uniform
// spreading would lose up to a third of τ.

type Conditionals = Pick<PairCopula, 'h1' | 'h2' | 'inverseH1' | 'inverseH2'>;

function fitDiscrete(data: PairData, degree: TllDegree): PairCopula {
  let latent = latentSample(gaussianOf(data), data, null);
  let pair = fitTll(latent.u, latent.v, degree);
  for (let round = 0; round < 2; round++) {
    latent = latentSample(pair, data, latent);
    pair = fitTll(latent.u, latent.v, degree);
  }
  return pair;
}

const MAX_CORRELATION = 0.999;

function gaussianOf({ u, v }: PairData): Conditionals {
  const tau = kendallTau(u, v);
  const rho = Number.isNaN(tau) ? 0 : MAX_CORRELATION * Math.sin(0.5 * Math.PI * tau);
  const root = Math.sqrt(1 - rho * rho);
  const score = (p: number) => normalQuantile(offEdge(p));
  const h = (given: number, target: number) => normalCdf((score(target) - rho * score(given)) / root);
  const inverse = (given: number, p: number) => normalCdf(rho * score(given) + root * score(p));
  return { h1: h, h2: (u, v) => h(v, u), inverseH1: inverse, inverseH2: (p, v) => inverse(v, p) };
}

const SWEEPS = 4;
/** Low-discrepancy sequence (Roberts 2018). */
const R1 = 0.7548776662466927;
const R2 = 0.5698402909980532;

interface Latent {
  u: Float64Array;
  v: Float64Array;
}

/** Draws (U, V) deterministically within each row's rectangle. */
function latentSample(pair: Conditionals, data: PairData, from: Latent | null): Latent {
  const n = data.u.length;
  const u = new Float64Array(n);
  const v = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const [u1, v1] = [data.u[i]!, data.v[i]!];
    const u0 = data.uBelow === null ? u1 : Math.min(u1, data.uBelow[i]!);
    const v0 = data.vBelow === null ? v1 : Math.min(v1, data.vBelow[i]!);
    let a = from === null ? u0 + fraction(0.5 + i * R1) * (u1 - u0) : from.u[i]!;
    let b = from === null ? v0 + fraction(0.5 + i * R2) * (v1 - v0) : from.v[i]!;
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const shift = sweep / Math.SQRT2 + (from === null ? 0 : 0.3);
      if (u1 > u0)
        a = within(pair.h2(u0, b), pair.h2(u1, b), fraction(shift + i * R1), (p) => pair.inverseH2(p, b), u0, u1);
      if (v1 > v0)
        b = within(pair.h1(a, v0), pair.h1(a, v1), fraction(shift + i * R2), (p) => pair.inverseH1(a, p), v0, v1);
    }
    u[i] = a;
    v[i] = b;
  }
  return { u, v };
}

const fraction = (x: number): number => x - Math.floor(x);

function within(
  low: number,
  high: number,
  share: number,
  inverse: (p: number) => number,
  from: number,
  to: number,
): number {
  if (!(high - low > 1e-12)) return from + share * (to - from);
  return Math.min(Math.max(inverse(low + share * (high - low)), from), to);
}
