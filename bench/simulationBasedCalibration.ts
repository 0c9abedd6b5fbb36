/**
 * Simulation-based calibration (Talts et al. 2018): parameters from the prior, data from the model; the rank of each
 * parameter among draws of its posterior is uniform where the sampler is right. Draws as a job has them: four chains, a
 * second run where the first did not converge, families with atoms part by part.
 */

import { FAMILY_NAMES, type FamilyName, familyOf } from '../packages/numerics/distributions/families.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../packages/numerics/random/stream.ts';
import { openPosterior, prepareRegression } from '../packages/numerics/regression/prepareRegression.ts';
import { samplePosterior } from '../packages/numerics/regression/samplePosterior.ts';
import { type PredictorSpec, type Prior, type RegressionSpec, toLink } from '../packages/numerics/regression/spec.ts';
import { gammaQ } from '../packages/numerics/special/incomplete.ts';
import type { Bench } from './support/bench.ts';
import { printTable, type TableCell } from './support/printTable.ts';

const REPLICATIONS = 200;
const ROWS = 60;
/** Columns of numbers, the first of them ones. */
const COLUMNS = 3;
const GROUPS = 6;
/** Kept of the chains, every `THIN`-th draw: nearly independent, so that ranks are of as many draws. */
const KEPT = 99;
const THIN = 8;
const CHAINS = 4;
const TUNE = 300;
const BINS = 10;
/** Of all tests together, after Bonferroni. */
const LEAST_P = 0.001;

const COEFFICIENT: Prior = { kind: 'normal', mean: 0, sd: 0.7 };
const GROUP_SCALE: Prior = { kind: 'exponential', rate: 2 };
const CONSTANTS: Record<string, Prior> = {
  sigma: { kind: 'exponential', rate: 1 },
  nu: { kind: 'gamma', shape: 2, rate: 0.1 },
  zero: { kind: 'beta', a: 2, b: 3 },
  one: { kind: 'beta', a: 2, b: 3 },
};
const OTHERWISE: Prior = { kind: 'gamma', shape: 3, rate: 0.5 };

export const bench: Bench = {
  title:
    'Simulation-based calibration of 17 families with and without group scales, 200 replications: ranks uniform, no p below .001 after Bonferroni (BENCH_FAMILIES=a,b for some)',
  async run() {
    const only = process.env.BENCH_FAMILIES?.split(',');
    const families = FAMILY_NAMES.filter((name) => only?.includes(name) ?? true);
    const rows: TableCell[][] = [];
    for (const name of families) {
      for (const grouped of [false, true]) {
        const { names, ranks, divergences, unconverged } = await calibrate(name, grouped);
        const values = names.map((_, at) => uniformity(ranks.map((row) => row[at]!)));
        const least = Math.min(...values);
        const corrected = Math.min(1, least * names.length * FAMILY_NAMES.length * 2);
        const shown = [name, grouped ? 'group scale' : 'plain', names.length, least, names[values.indexOf(least)]!];
        rows.push([...shown, corrected, divergences, unconverged]);
        console.log(rows.at(-1)!.join('  '));
        if (corrected < LEAST_P) process.exitCode = 1;
      }
    }
    printTable(
      ['family', 'location', 'parameters', 'least p', 'of', 'after Bonferroni', 'divergences', 'not converged'],
      rows,
    );
  },
};

async function calibrate(name: FamilyName, grouped: boolean) {
  const ranks: number[][] = [];
  let names: readonly string[] = [];
  let divergences = 0;
  let unconverged = 0;
  for (let replication = 0; replication < REPLICATIONS; replication++) {
    const random = createStream(replication, `calibration/${name}/${grouped ? 'grouped' : 'plain'}`);
    const { spec, truth } = simulate(name, grouped, random);
    const drawn = await samplePosterior({
      spec,
      start: openPosterior(prepareRegression(spec)).start,
      draws: Math.ceil((KEPT * THIN) / CHAINS),
      tune: TUNE,
      random: random.child('chains'),
      onProgress: () => undefined,
      yieldToEventLoop: async () => undefined,
      workers: 0,
    });
    names = drawn.posterior.names;
    ranks.push(ranksOf(truth, drawn.chains, names.length));
    divergences += drawn.divergences;
    if (!drawn.converged) unconverged++;
  }
  return { names, ranks, divergences, unconverged };
}

/** How many of the kept draws lie below the truth, one number a parameter. */
function ranksOf(truth: readonly number[], chains: readonly Float64Array[], d: number): number[] {
  const below = truth.map(() => 0);
  for (let k = 0; k < KEPT; k++) {
    const chain = chains[k % CHAINS]!;
    const at = Math.floor(k / CHAINS) * THIN * d;
    truth.forEach((value, i) => {
      if (chain[at + i]! < value) below[i]!++;
    });
  }
  return below;
}

/** Truth on the natural scale, in the order of the posterior's names. */
function simulate(name: FamilyName, grouped: boolean, random: RandomStream): { spec: RegressionSpec; truth: number[] } {
  const family = familyOf(name);
  const cols = COLUMNS + (grouped ? GROUPS : 0);
  const values = new Float64Array(ROWS * cols);
  for (let i = 0; i < ROWS; i++) {
    for (let j = 0; j < COLUMNS; j++) values[i * cols + j] = j === 0 ? 1 : random.normal();
    if (grouped) values[i * cols + COLUMNS + Math.floor(random.uniform() * GROUPS)] = 1;
  }
  const tau = drawPrior(GROUP_SCALE, random);
  const beta = Array.from({ length: cols }, (_, j) =>
    j < COLUMNS ? drawPrior(COEFFICIENT, random) : tau * random.normal(),
  );
  const constants = family.parameters.slice(1).map((parameter) => {
    const prior = CONSTANTS[parameter.name] ?? OTHERWISE;
    let value = drawPrior(prior, random);
    while (parameter.link === 'log_above_one' && value <= 1) value = drawPrior(prior, random);
    return { parameter, prior, value };
  });
  const eta = Float64Array.from([0, ...constants.map(({ parameter, value }) => toLink(parameter.link, value))]);
  const y = Float64Array.from({ length: ROWS }, (_, i) => {
    eta[0] = beta.reduce((sum, b, j) => sum + b * values[i * cols + j]!, 0);
    return family.draw(eta, random);
  });
  const groups = Int32Array.from({ length: cols - COLUMNS }, (_, g) => COLUMNS + g);
  const pool = { name: 'group', columns: groups, sds: new Float64Array(groups.length).fill(1), scale: GROUP_SCALE };
  const location: PredictorSpec = {
    kind: 'linear',
    parameter: family.parameters[0]!.name,
    design: { kind: 'dense', rows: ROWS, cols, values },
    names: beta.map((_, j) => `beta[${j + 1}]`),
    priors: beta.map(() => COEFFICIENT),
    pools: grouped ? [pool] : [],
  };
  const others = constants.map(
    ({ parameter, prior }): PredictorSpec => ({ kind: 'constant', parameter: parameter.name, prior }),
  );
  return {
    spec: { family: name, y, weights: null, predictors: [location, ...others] },
    truth: [...beta, ...constants.map(({ value }) => value), ...(grouped ? [tau] : [])],
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

/** p of the chi-square test of ranks 0 … KEPT in equal bins. */
function uniformity(ranks: readonly number[]): number {
  const counts = new Array<number>(BINS).fill(0);
  for (const rank of ranks) counts[Math.floor((rank * BINS) / (KEPT + 1))]!++;
  const expected = ranks.length / BINS;
  const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return gammaQ((BINS - 1) / 2, statistic / 2);
}
