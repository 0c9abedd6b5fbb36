/** Draws from the posterior predictive distribution, and checks by them. n rows, K = parameters of the family. */

import { type FamilyName, familyOf } from '../distributions/families.ts';
import type { ResponseFamily } from '../distributions/family.ts';
import type { RandomStream } from '../random/stream.ts';
import { takeNumbers } from '../rows.ts';
import { applyDesign, slicePredictors, takePredictors } from './design/applyDesign.ts';
import type { Design, Predictor } from './design/design.ts';
import { type FittedScale, logFactorsOf } from './design/scaleGroups.ts';
import { rowTimes } from './designProducts.ts';
import type { PosteriorDraws } from './samplingTask.ts';
import { type RegressionSpec, toLink } from './spec.ts';

/** A sampled regression, as far as prediction asks. */
export interface PredictiveModel {
  family: FamilyName;
  /** One a parameter of the family; null for a constant. */
  designs: readonly (Design | null)[];
  /** Null where one scale holds for all rows. */
  scale: FittedScale | null;
  /** Posterior draws of θ: coefficients of each design, a number for each constant, on its link's scale; row by row. */
  draws: Float32Array;
  /** Length of θ. */
  width: number;
}

/** Posterior draws that are kept to predict from, at most, and numbers in them. */
const KEPT_DRAWS = 500;
const KEPT_NUMBERS = 400_000;

/** Evenly thinned draws of θ, constants back on their links. */
export function thinnedDraws(
  family: FamilyName,
  { predictors }: RegressionSpec,
  { posterior, chains }: PosteriorDraws,
): Pick<PredictiveModel, 'draws' | 'width'> {
  const d = posterior.dimension;
  const width = predictors.reduce((sum, own) => sum + (own.kind === 'linear' ? own.design.cols : 1), 0);
  const { parameters } = familyOf(family);
  const links = predictors.flatMap((own, k) =>
    own.kind === 'linear' ? Array.from({ length: own.design.cols }, () => null) : [parameters[k]!.link],
  );
  const all = chains.reduce((sum, chain) => sum + chain.length / d, 0);
  const count = Math.max(1, Math.min(all, KEPT_DRAWS, Math.floor(KEPT_NUMBERS / width)));
  const draws = new Float32Array(count * width);
  const perChain = all / chains.length;
  for (let i = 0; i < count; i++) {
    const at = Math.floor((i * all) / count);
    const chain = chains[Math.floor(at / perChain)]!;
    const from = (at % perChain) * d;
    links.forEach((link, j) => {
      const value = chain[from + j]!;
      draws[i * width + j] = link === null ? value : toLink(link, value);
    });
  }
  return { draws, width };
}

/** Rows for which designs are applied at once: of 300 columns some 5 MB, beside a design that is packed. */
export const BLOCK_ROWS = 2_000;

/** Calls `take` with each of n rows and its η (K, overwritten) under a random posterior draw. */
export function eachPredictive(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  n: number,
  random: RandomStream,
  take: (row: number, eta: Float64Array) => void,
): void {
  const count = model.draws.length / model.width;
  for (let start = 0; start < n; start += BLOCK_ROWS) {
    const end = Math.min(n, start + BLOCK_ROWS);
    const fill = linearPredictors(model, slicePredictors(predictors, start, end), end - start);
    const eta = new Float64Array(model.designs.length);
    for (let row = start; row < end; row++) {
      fill(row - start, random.integer(count) * model.width, eta);
      take(row, eta);
    }
  }
}

/**
 * A function that writes η (K) of one of n rows under the posterior draw that begins at `at`. `halves` (n) is for rows of the fit:
 * each is explained as it was there.
 */
export function linearPredictors(
  { family, designs, scale, draws }: PredictiveModel,
  predictors: readonly Predictor[],
  n: number,
  halves: Uint8Array | null = null,
): (row: number, at: number, eta: Float64Array) => void {
  const matrices = designs.map((design) => design && applyDesign(design, predictors, n, halves));
  const logFactors = scale && logFactorsOf(scale, matrices[0]!, predictors, n);
  const sigma = familyOf(family).parameters.findIndex(({ name }) => name === 'sigma');
  let from = 0;
  const terms = matrices.map((matrix, k) => {
    const term = { matrix, offset: k === sigma ? logFactors : null, from };
    from += designs[k]?.columns.length ?? 1;
    return term;
  });
  return (row, at, eta) => {
    terms.forEach(({ matrix, offset, from: first }, k) => {
      const own = matrix ? rowTimes(matrix, row, draws, at + first) : draws[at + first]!;
      eta[k] = offset ? own + offset[row]! : own;
    });
  };
}

/**
 * One draw of the response for each of n rows, each from a random posterior draw, in the units in which the model was sampled.
 * `predictors`: the columns of the fit, n rows each.
 */
export function predictResponse(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  n: number,
  random: RandomStream,
): Float64Array {
  return byRow(model, predictors, n, random, (family, eta) => family.draw(eta, random));
}

/** A number of each of n rows, by its parameters in a random posterior draw. */
function byRow(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  n: number,
  random: RandomStream,
  numberOf: (family: ResponseFamily, eta: Float64Array) => number,
): Float64Array {
  const family = familyOf(model.family);
  const out = new Float64Array(n);
  eachPredictive(model, predictors, n, random, (row, eta) => {
    out[row] = numberOf(family, eta);
  });
  return out;
}

/** `passes` draws without atoms for each of `rows` among the n rows of the predictors, pass by pass. */
export function referenceDraws(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  { n, rows }: { n: number; rows: Int32Array },
  passes: number,
  random: RandomStream,
): Float64Array {
  const family = familyOf(model.family);
  const isTaken = new Uint8Array(n);
  for (const row of rows) isTaken[row] = 1;
  const out: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    eachPredictive(model, predictors, n, random, (row, eta) => {
      if (isTaken[row]) out.push(withoutAtoms(family, family.draw(eta, random), random));
    });
  }
  return Float64Array.from(out);
}

/**
 * A draw as a number without atoms, in the order of the draws: equal counts lie apart within their unit cell, atoms at the
 * ends within a unit beyond them. What compares draws by their order needs that.
 */
export function withoutAtoms(family: ResponseFamily, y: number, random: RandomStream): number {
  if (family.measure === 'continuous') return y;
  if (family.measure === 'counts') return y + random.uniform() - 0.5;
  if (y === 0) return -random.uniform();
  return y === 1 && family.parameters.some(({ name }) => name === 'one') ? 1 + random.uniform() : y;
}

// Stratified predictive draws: each row has a few draws of its own, and takes the one whose rank
// among them a uniform number says. Where that number is uniform, so is the rank, and what is taken is a draw of the
// same distribution; where numbers are even among neighbours, means of neighbours lie nearer to what is expected of
// them (stratified sampling).

/** n draws without atoms, stratified among rows of like means. */
export function stratifiedDraws(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  n: number,
  random: RandomStream,
): Float64Array {
  const family = familyOf(model.family);
  const means = new Float64Array(n);
  const candidates = new Float64Array(n * CANDIDATES);
  eachPredictive(model, predictors, n, random, (row, eta) => {
    means[row] = family.mean(eta);
    const first = row * CANDIDATES;
    for (let k = first; k < first + CANDIDATES; k++) {
      candidates[k] = withoutAtoms(family, family.draw(eta, random), random);
    }
  });
  return drawsAt(candidates, stratifiedShares(means, random));
}

/** The ranks, in [0, 1), at which `stratifiedDraws` takes the draws of n rows: uniform, and even among rows of like means. */
export function stratifiedRanks(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  n: number,
  random: RandomStream,
): Float64Array {
  const means = byRow(model, predictors, n, random, (family, eta) => family.mean(eta));
  return stratifiedShares(means, random);
}

/** Halvings of [0, 1), and draws that a row has to choose from. */
const DEPTH = 6;
export const CANDIDATES = 2 ** DEPTH;

/**
 * n numbers in [0, 1), each uniform. In the order of their means, of any two rows from an even index on one is in each half,
 * of four from a multiple of four on one in each quarter, and so on to 64: van der Corput's sequence, scrambled (Owen, 1995).
 */
export function stratifiedShares(means: Float64Array, random: RandomStream): Float64Array {
  const order = Int32Array.from(means.keys()).sort((a, b) => means[a]! - means[b]! || a - b);
  const shares = new Float64Array(means.length);
  const flips = new Uint8Array(CANDIDATES);
  order.forEach((row, at) => {
    if (at % CANDIDATES === 0) for (let node = 1; node < CANDIDATES; node++) flips[node] = random.integer(2);
    let part = 0;
    for (let level = 0, node = 1; level < DEPTH; level++) {
      const bit = ((at >> level) & 1) ^ flips[node]!;
      part = 2 * part + bit;
      node = 2 * node + bit;
    }
    shares[row] = (part + random.uniform()) / CANDIDATES;
  });
  return shares;
}

/** One of the `CANDIDATES` draws of each row: that at the row's share of their order. Sorts them. */
export function drawsAt(candidates: Float64Array, shares: Float64Array): Float64Array {
  return shares.map((share, row) => {
    const own = candidates.subarray(row * CANDIDATES, (row + 1) * CANDIDATES).sort();
    return own[Math.floor(share * CANDIDATES)]!;
  });
}

/** P(Y ≤ y) of a draw as `withoutAtoms` has it: mass at a count lies over its unit cell, that of ends a unit beyond them. */
export function cdfWithoutAtoms(family: ResponseFamily, y: number, eta: Float64Array): number {
  const { measure, cdf, cdfBelow } = family;
  if (measure === 'continuous' || !Number.isFinite(y)) return Number.isFinite(y) ? cdf(y, eta) : y > 0 ? 1 : 0;
  if (measure === 'counts') {
    const cell = Math.round(y);
    const below = cdfBelow(cell, eta);
    return below + (cdf(cell, eta) - below) * (y - cell + 0.5);
  }
  if (y <= 0) return cdf(0, eta) * Math.max(0, 1 + y);
  if (y < 1 || !family.parameters.some(({ name }) => name === 'one')) return cdf(y, eta);
  const below = cdfBelow(1, eta);
  return below + (1 - below) * Math.min(1, y - 1);
}

// Posterior predictive checks (Gelman, Meng and Stern, 1996): do replicated tables look like the real one?

const REPLICATIONS = 200;
/** Rows of each replication, at most. */
const MAX_ROWS = 1_000;

export interface PredictivePValues {
  mean: number | null;
  sd: number | null;
  zeros: number | null;
  least: number | null;
  greatest: number | null;
}

/** Share of the rows from which on zeros are looked at. */
const MIN_ZEROS = 0.01;

/**
 * Share of replications, each under one posterior draw, whose figure is above the real one (half of those where it is
 * equal). `y` (n): the response, in the family's support, where `zero` is what counts as 0. `zeros` is null where
 * neither has one in a hundred rows: a few exact zeros among numbers are no mass that a model could miss.
 */
export function checkPredictive(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  { y, zero }: { y: Float64Array; zero: number },
  random: RandomStream,
): PredictivePValues {
  const stride = Math.max(1, Math.ceil(y.length / MAX_ROWS));
  const chosen = Int32Array.from(y.keys()).filter((i) => i % stride === 0);
  const shown = takeNumbers(y, chosen);
  const scale = { zero, unit: shown.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1 };
  const real = figuresOf(shown, scale);
  const family = familyOf(model.family);
  const fill = linearPredictors(model, takePredictors(predictors, chosen), chosen.length);
  const eta = new Float64Array(model.designs.length);
  const count = model.draws.length / model.width;
  const above = new Float64Array(real.length);
  const replicate = new Float64Array(chosen.length);
  let zeros = real[2]!;
  for (let r = 0; r < REPLICATIONS; r++) {
    const at = random.integer(count) * model.width;
    for (let i = 0; i < chosen.length; i++) {
      fill(i, at, eta);
      replicate[i] = family.draw(eta, random);
    }
    const figures = figuresOf(replicate, scale);
    zeros = Math.max(zeros, figures[2]!);
    figures.forEach((figure, k) => {
      above[k]! += figure > real[k]! ? 1 : figure === real[k]! ? 0.5 : 0;
    });
  }
  const [mean, sd, atZero, least, greatest] = Array.from(above, (sum) => sum / REPLICATIONS);
  return {
    mean: mean!,
    sd: sd!,
    zeros: zeros > chosen.length * MIN_ZEROS ? atZero! : null,
    least: least!,
    greatest: greatest!,
  };
}

/** Mean, standard deviation, zeros, least and greatest; by `unit` first, since squares of 1e300 are no numbers. */
function figuresOf(y: Float64Array, { zero, unit }: { zero: number; unit: number }): number[] {
  let [mean, zeros, least, greatest] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of y) {
    mean += value / unit / y.length;
    if (value === zero) zeros++;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  let square = 0;
  for (const value of y) square += (value / unit - mean) ** 2 / y.length;
  return [mean, Math.sqrt(square), zeros, least, greatest];
}
