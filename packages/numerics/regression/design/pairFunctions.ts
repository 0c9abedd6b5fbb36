/**
 * What two numbers say together, beyond the sum of what each says: products of cosines of their ranks, cos(πj u) cos(πk v). Ranks
 * are uniform, so that such products are orthogonal to each other and to functions of one number alone if numbers are independent.
 * Under the prior standard deviations 1/(jk) their sum is a Gaussian process as rough as a random walk in either number: smooth
 * surfaces and steps alike are within its reach (a tensor product smooth: Gu, 2013).
 */
import type { NumericPredictor, RankedInput } from './design.ts';

/** Shares between the least and the greatest value. */
const STEPS = 32;
/** Products jk, at most: a fifth of the prior variance of the process is in what is left out. */
const MAX_WAVES = 6;

/** The cosines of either number of a pair: a column of the design each. */
export const PAIR_WAVES: readonly (readonly [j: number, k: number])[] = Array.from({ length: MAX_WAVES }, (_, at) =>
  Array.from({ length: Math.floor(MAX_WAVES / (at + 1)) }, (_wave, k) => [at + 1, k + 1] as const),
).flat();

const NORM = Math.sqrt(PAIR_WAVES.reduce((sum, [j, k]) => sum + 1 / (j * k) ** 2, 0));

/** Prior standard deviation of each column of a pair, in units of what the whole pair has. */
export const PAIR_SDS: readonly number[] = PAIR_WAVES.map(([j, k]) => 1 / (j * k) / NORM);

/** Undefined if there are not two distinct values. */
export function rankInput({ name, values }: NumericPredictor): RankedInput | undefined {
  const sorted = values.filter(Number.isFinite).sort();
  const last = sorted.length - 1;
  if (last < 1 || sorted[0] === sorted[last]) return undefined;
  return { name, cuts: Array.from({ length: STEPS + 1 }, (_, step) => sorted[Math.round((step / STEPS) * last)]!) };
}

/** Share of rank of a value, 0 to 1: the middle of its cuts if it is equal to some, else between two on a straight line. */
export function rankShare(cuts: readonly number[], value: number): number {
  const last = cuts.length - 1;
  const below = countWhile(cuts, (cut) => cut < value);
  const upTo = countWhile(cuts, (cut) => cut <= value);
  if (upTo > below) return (below + upTo - 1) / 2 / last;
  if (below === 0) return 0;
  if (below > last) return 1;
  // Halves first: the difference of the largest numbers is not finite.
  const [low, high] = [cuts[below - 1]! / 2, cuts[below]! / 2];
  return (below - 1 + (value / 2 - low) / (high - low)) / last;
}

/** Length of the prefix for which `holds`; it holds for no item after one for which it does not. */
function countWhile(sorted: readonly number[], holds: (item: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** √2 cos(πj u) for j = 1, 2, …: n numbers each, of mean square about 1. A missing cell has 0, their mean. */
export function wavesOf({ cuts }: RankedInput, values: Float64Array): Float64Array[] {
  const waves = Array.from({ length: MAX_WAVES }, () => new Float64Array(values.length));
  values.forEach((value, row) => {
    if (!Number.isFinite(value)) return;
    const angle = Math.PI * rankShare(cuts, value);
    waves.forEach((wave, at) => {
      wave[row] = Math.SQRT2 * Math.cos((at + 1) * angle);
    });
  });
  return waves;
}
