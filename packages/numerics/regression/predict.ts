/** Posterior predictive draws and checks. n rows, K parameters. */

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

/** The parts of a sampled regression that prediction needs. */
export interface PredictiveModel {
  family: FamilyName;
  /** Null for constants. */
  designs: readonly (Design | null)[];
  /** Null for a single scale. */
  scale: FittedScale | null;
  /** Link-scale draws (draws × width, row-major). */
  draws: Float32Array;
  /** Length of θ. */
  width: number;
}

/** Maximum draws, and numbers in them, kept for prediction. */
const KEPT_DRAWS = 500;
const KEPT_NUMBERS = 400_000;

/** Thins evenly. */
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

/** About 5 MB for 300 columns. */
export const BLOCK_ROWS = 2_000;

/** Calls `take` by row with η (K, overwritten) under a random draw. */
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

/** Writes η (K) of a row under the draw at offset `at`. Pass `halves` (n) for rows of the fit. */
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
 * Draws the response of n rows, each under a random posterior draw, in units of the fit. `predictors`: fitted columns
 * (n).
 */
export function predictResponse(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  n: number,
  random: RandomStream,
): Float64Array {
  return byRow(model, predictors, n, random, (family, eta) => family.draw(eta, random));
}

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

/** `passes` draws without atoms for each of `rows`, pass by pass. */
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

/** Spreads ties for rank comparisons and preserves order. */
export function withoutAtoms(family: ResponseFamily, y: number, random: RandomStream): number {
  if (family.measure === 'continuous') return y;
  if (family.measure === 'counts') return y + random.uniform() - 0.5;
  if (y === 0) return -random.uniform();
  return y === 1 && family.parameters.some(({ name }) => name === 'one') ? 1 + random.uniform() : y;
}

// Stratified sampling: even ranks among neighbours bring means closer to the expectation.

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

/** Ranks in [0, 1) (n). */
export function stratifiedRanks(
  model: PredictiveModel,
  predictors: readonly Predictor[],
  n: number,
  random: RandomStream,
): Float64Array {
  const means = byRow(model, predictors, n, random, (family, eta) => family.mean(eta));
  return stratifiedShares(means, random);
}

const DEPTH = 6;
export const CANDIDATES = 2 ** DEPTH;

/**
 * n uniform numbers in [0, 1); blocks of 2, 4, …, 64 rows with similar means are stratified (scrambled van der Corput
 * sequence: Owen 1995).
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

/** Sorts candidates in place. */
export function drawsAt(candidates: Float64Array, shares: Float64Array): Float64Array {
  return shares.map((share, row) => {
    const own = candidates.subarray(row * CANDIDATES, (row + 1) * CANDIDATES).sort();
    return own[Math.floor(share * CANDIDATES)]!;
  });
}

/** Distribution after `withoutAtoms`. */
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

// Posterior predictive checks (Gelman, Meng and Stern 1996).

const REPLICATIONS = 200;
const MAX_ROWS = 1_000;

export interface PredictivePValues {
  mean: number | null;
  sd: number | null;
  zeros: number | null;
  least: number | null;
  greatest: number | null;
}

/** Minimum share of zeros. */
const MIN_ZEROS = 0.01;

/**
 * Share of replications whose statistic exceeds the real one; ties count half. `y` (n): in the support, with 0 at
 * `zero`. `zeros` is null below 1 % zeros.
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

/** Divides by `unit`, since 1e300 has no finite square. */
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
