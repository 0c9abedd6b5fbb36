/**
 * The only way from data to what is released: a curator answers counts with noise and choices by chance, and adds up what
 * that costs. A count is of rows, each of which is in at most one cell: one row more or less changes the answer by 1 in
 * one cell. A score changes by at most 1 with it.
 */
import { ROUNDING } from './accounting.ts';
import { drawByScore, drawDiscreteGaussian, type Fraction, inBlocks, type RandomBytes } from './exactNoise.ts';

/** Counts with noise: whole numbers, which may be below 0, and the variance of the noise. */
export interface NoisyCounts {
  counts: number[];
  variance: number;
}

export interface Curator {
  /** Costs at most `rho`. */
  count(cells: Int32Array, rho: number): NoisyCounts;
  /** An index, likelier where the score is higher. Costs at most `rho`. */
  choose(scores: readonly number[], rho: number): number;
  spent(): number;
}

/** Parts of 1 that variances and rates are rounded to, so that they are fractions. */
const PARTS = 2 ** 20;

/** What costs that are to spend a budget to its end may add up to, in parts of it: `rhoOf` has left twice as much. */
const LIMIT = 1 + ROUNDING / 2;

/** Throws RangeError where more is asked for than is left of `budget`, in ρ. */
export function createCurator(budget: number, bytes: RandomBytes): Curator {
  const source = inBlocks(bytes);
  let spent = 0;
  const charge = (cost: number): void => {
    if (!(cost > 0) || spent + cost > budget * LIMIT) throw new RangeError('the privacy budget is spent');
    spent += cost;
  };
  return {
    count(cells, rho) {
      charge(rho);
      const variance = varianceFor(rho);
      // Rounded to a double only after it is added: else the sum's last bits would depend on the cell.
      const counts = Array.from(cells, (cell) => Number(BigInt(cell) + drawDiscreteGaussian(variance, source)));
      return { counts, variance: Number(variance.of) / Number(variance.over) };
    },
    choose(scores, rho) {
      charge(rho);
      return drawByScore(scores.map(BigInt), rateFor(rho), source);
    },
    spent: () => spent,
  };
}

/** The discrete Gaussian of this parameter on counts of sensitivity 1 is ρ-zCDP with ρ = 1 / (2 σ²): rounded up. */
const varianceFor = (rho: number): Fraction => ({ of: BigInt(Math.ceil(PARTS / (2 * rho))), over: BigInt(PARTS) });

/** The exponential mechanism is ε²/8-zCDP and has the rate ε / 2 for scores of sensitivity 1: rounded down. */
const rateFor = (rho: number): Fraction => ({
  of: BigInt(Math.floor((PARTS * Math.sqrt(8 * rho)) / 2)),
  over: BigInt(PARTS),
});
