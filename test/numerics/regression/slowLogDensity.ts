/** The log posterior written down as the textbook has it: one row after another, one prior after another. */
import { familyOf } from '../../../packages/numerics/distributions/families.ts';
import type { Matrix, Prior, RegressionSpec } from '../../../packages/numerics/regression/spec.ts';

const cell = (x: Matrix, i: number, j: number): number => {
  if (x.kind === 'dense') return x.values[i * x.cols + j]!;
  for (let k = x.offsets[i]!; k < x.offsets[i + 1]!; k++) if (x.at[k] === j) return x.values[k]!;
  return 0;
};

function logPrior(prior: Prior, x: number): number {
  if (prior.kind === 'flat' || prior.kind === 'uniform') return 0;
  if (prior.kind === 'normal') return -0.5 * ((x - prior.mean) / prior.sd) ** 2;
  if (prior.kind === 'exponential') return -prior.rate * x;
  if (prior.kind === 'gamma') return (prior.shape - 1) * Math.log(x) - prior.rate * x;
  if (prior.kind === 'beta') return (prior.a - 1) * Math.log(x) + (prior.b - 1) * Math.log(1 - x);
  if (prior.kind === 'exponential_above') return -prior.rate * x - (prior.rows / 2) * (prior.error / x) ** 2;
  const df = prior.kind === 'cauchy' ? 1 : prior.df;
  return -0.5 * (df + 1) * Math.log(1 + ((x - prior.mean) / prior.scale) ** 2 / df);
}

/** Natural value and log |d value / d u| of a constant. */
function constantAt(link: string, u: number): [number, number] {
  if (link === 'log') return [Math.exp(u), u];
  if (link === 'log_above_one') return [1 + Math.exp(u), u];
  const share = 1 / (1 + Math.exp(-u));
  return link === 'logit' ? [share, Math.log(share * (1 - share))] : [u, 0];
}

/** At an unconstrained position, pools centred. Up to the same constant as `createPosterior`. */
export function slowLogDensity(spec: RegressionSpec, position: Float64Array): number {
  const family = familyOf(spec.family);
  const pools = spec.predictors.flatMap((p) => (p.kind === 'linear' ? p.pools : []));
  let scaleAt = position.length - pools.length;
  let at = 0;
  let total = 0;
  const predictors = spec.predictors.map((predictor, k) => {
    if (predictor.kind === 'constant') {
      const u = position[at++]!;
      const [natural, logJacobian] = constantAt(family.parameters[k]!.link, u);
      total += logPrior(predictor.prior, natural) + logJacobian;
      return () => u;
    }
    const { design, priors } = predictor;
    const pooled = new Set(predictor.pools.flatMap((pool) => [...pool.columns]));
    const beta = priors.map((prior, j) => {
      const u = position[at++]!;
      if (pooled.has(j)) return u * predictor.pools.reduce((sd, p) => sd * (p.sds[p.columns.indexOf(j)] ?? 1), 1);
      if (prior.kind === 'uniform') {
        const share = 1 / (1 + Math.exp(-u));
        total += Math.log(share * (1 - share));
        return prior.lower + (prior.upper - prior.lower) * share;
      }
      total += logPrior(prior, u);
      return u;
    });
    for (const pool of predictor.pools) {
      const logTau = position[scaleAt++]!;
      total += logPrior(pool.scale, Math.exp(logTau)) + logTau;
      pool.columns.forEach((j, c) => {
        total -= logTau + 0.5 * (beta[j]! / (pool.sds[c]! * Math.exp(logTau))) ** 2;
      });
    }
    return (i: number) => beta.reduce((sum, b, j) => sum + b * cell(design, i, j), 0);
  });
  spec.y.forEach((y, i) => {
    const eta = Float64Array.from(predictors, (predictor) => predictor(i));
    total += (spec.weights?.[i] ?? 1) * family.logDensity(y, eta);
  });
  return total;
}
