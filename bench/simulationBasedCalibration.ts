/**
 * Simulation-based calibration (Talts et al. 2018): parameters from the prior, data from the model; the rank of each
 * parameter among draws of its posterior is uniform where the sampler is right.
 */

import type { FamilyName } from '../packages/numerics/distributions/families.ts';
import { familyOf } from '../packages/numerics/distributions/families.ts';
import { runChain } from '../packages/numerics/mcmc/chain.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../packages/numerics/random/stream.ts';
import { findMode } from '../packages/numerics/regression/findMode.ts';
import { createPosterior } from '../packages/numerics/regression/prepareRegression.ts';
import type { PredictorSpec, Prior, RegressionSpec } from '../packages/numerics/regression/spec.ts';
import { gammaQ } from '../packages/numerics/special/incomplete.ts';
import type { Bench } from './support/bench.ts';
import { printTable, type TableCell } from './support/printTable.ts';

const FAMILIES: readonly FamilyName[] = ['gaussian', 'negative_binomial', 'beta', 'student_t', 'hurdle_gamma'];
const REPLICATIONS = 200;
const ROWS = 60;
const COLUMNS = 3;
/** Kept of a chain, every `THIN`-th draw: nearly independent, so that ranks are of as many draws. */
const KEPT = 99;
const THIN = 4;
const TUNE = 300;
const BINS = 10;

const COEFFICIENT: Prior = { kind: 'normal', mean: 0, sd: 0.7 };
const CONSTANTS: Record<string, Prior> = {
  sigma: { kind: 'exponential', rate: 1 },
  nu: { kind: 'gamma', shape: 2, rate: 0.1 },
  zero: { kind: 'beta', a: 2, b: 3 },
};
const OTHERWISE: Prior = { kind: 'gamma', shape: 3, rate: 0.5 };

export const bench: Bench = {
  title: 'Simulation-based calibration, 200 replications: ranks uniform, every chi-square p above 0.001',
  async run() {
    const rows = FAMILIES.map((name): TableCell[] => {
      const { names, ranks, divergences } = calibrate(name);
      const values = names.map((_, at) => uniformity(ranks.map((row) => row[at]!)));
      const least = values.indexOf(Math.min(...values));
      return [name, names.length, values[least]!, names[least]!, divergences];
    });
    printTable(['family', 'parameters', 'least p', 'of', 'divergences'], rows);
  },
};

function calibrate(name: FamilyName) {
  const ranks: number[][] = [];
  let names: readonly string[] = [];
  let divergences = 0;
  for (let replication = 0; replication < REPLICATIONS; replication++) {
    const random = createStream(replication, `calibration/${name}`);
    const { spec, truth } = simulate(name, random);
    const posterior = createPosterior(spec);
    const { position, factor } = findMode(posterior);
    const whitening = { mode: position, factor: factor! };
    const { draws, stats } = runChain(posterior, { draws: KEPT * THIN, tune: TUNE, whitening }, random.child('chain'));
    const below = truth.map(() => 0);
    for (let k = 0; k < KEPT; k++) {
      const at = k * THIN * posterior.dimension;
      const natural = posterior.constrain(draws.subarray(at, at + posterior.dimension));
      truth.forEach((value, i) => {
        if (natural[i]! < value) below[i]!++;
      });
    }
    ranks.push(below);
    names = posterior.names;
    divergences += stats.diverging.reduce((sum, diverged) => sum + diverged, 0);
  }
  return { names, ranks, divergences };
}

/** Truth on the natural scale, in the order of the posterior's names. */
function simulate(name: FamilyName, random: RandomStream): { spec: RegressionSpec; truth: number[] } {
  const family = familyOf(name);
  const values = Float64Array.from({ length: ROWS * COLUMNS }, (_, k) => (k % COLUMNS === 0 ? 1 : random.normal()));
  const beta = Array.from({ length: COLUMNS }, () => drawPrior(COEFFICIENT, random));
  const constants = family.parameters.slice(1).map((parameter) => {
    const prior = CONSTANTS[parameter.name] ?? OTHERWISE;
    let value = drawPrior(prior, random);
    while (parameter.link === 'log_above_one' && value <= 1) value = drawPrior(prior, random);
    return { parameter, prior, value };
  });
  const eta = new Float64Array(family.parameters.length);
  constants.forEach(({ parameter, value }, k) => {
    eta[k + 1] = linked(parameter.link, value);
  });
  const y = Float64Array.from({ length: ROWS }, (_, i) => {
    eta[0] = beta.reduce((sum, b, j) => sum + b * values[i * COLUMNS + j]!, 0);
    return family.draw(eta, random);
  });
  const location: PredictorSpec = {
    kind: 'linear',
    parameter: family.parameters[0]!.name,
    design: { kind: 'dense', rows: ROWS, cols: COLUMNS, values },
    names: beta.map((_, j) => `beta[${j + 1}]`),
    priors: beta.map(() => COEFFICIENT),
    pools: [],
  };
  const others = constants.map(
    ({ parameter, prior }): PredictorSpec => ({ kind: 'constant', parameter: parameter.name, prior }),
  );
  return {
    spec: { family: name, y, weights: null, predictors: [location, ...others] },
    truth: [...beta, ...constants.map(({ value }) => value)],
  };
}

function drawPrior(prior: Prior, random: RandomStream): number {
  if (prior.kind === 'normal') return prior.mean + prior.sd * random.normal();
  if (prior.kind === 'exponential') return random.gamma(1) / prior.rate;
  if (prior.kind === 'gamma') return random.gamma(prior.shape) / prior.rate;
  if (prior.kind === 'beta') {
    const first = random.gamma(prior.a);
    return first / (first + random.gamma(prior.b));
  }
  throw new Error(`no draws from a ${prior.kind} prior here`);
}

function linked(link: string, value: number): number {
  if (link === 'logit') return Math.log(value / (1 - value));
  return link === 'log_above_one' ? Math.log(value - 1) : link === 'log' ? Math.log(value) : value;
}

/** p of the chi-square test of ranks 0 … KEPT in equal bins. */
function uniformity(ranks: readonly number[]): number {
  const counts = new Array<number>(BINS).fill(0);
  for (const rank of ranks) counts[Math.floor((rank * BINS) / (KEPT + 1))]!++;
  const expected = ranks.length / BINS;
  const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return gammaQ((BINS - 1) / 2, statistic / 2);
}
