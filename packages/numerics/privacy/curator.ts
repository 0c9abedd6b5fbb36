/** The only access to data, by noisy counts and random choices. One row changes one cell and a score by at most 1. */
import { ROUNDING } from './accounting.ts';
import { drawByScore, drawDiscreteGaussian, type Fraction, inBlocks, type RandomBytes } from './exactNoise.ts';

/** Whole, possibly negative counts. */
export interface NoisyCounts {
  counts: number[];
  variance: number;
}

export interface Curator {
  /** Costs at most `rho`. */
  count(cells: Int32Array, rho: number): NoisyCounts;
  /** Index, likelier for higher scores. Costs at most `rho`. */
  choose(scores: readonly number[], rho: number): number;
  spent(): number;
}

const PARTS = 2 ** 20;

/** Costs may exceed the budget by half of `ROUNDING`. */
const LIMIT = 1 + ROUNDING / 2;

/** Throws a RangeError if `budget` (ρ) is exceeded. */
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
      // Adds before rounding to a double: otherwise its last bits would depend on the cell.
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

/** ρ = 1 / (2 σ²) at sensitivity 1, rounded up. */
const varianceFor = (rho: number): Fraction => ({ of: BigInt(Math.ceil(PARTS / (2 * rho))), over: BigInt(PARTS) });

/** The mechanism is ε²/8-zCDP with rate ε / 2 at sensitivity 1: rounded down. */
const rateFor = (rho: number): Fraction => ({
  of: BigInt(Math.floor((PARTS * Math.sqrt(8 * rho)) / 2)),
  over: BigInt(PARTS),
});
