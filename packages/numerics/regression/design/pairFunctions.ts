/**
 * Pairs as products cos(πj u) cos(πk v) of ranks, orthogonal if numbers are independent. Prior deviations 1/(jk) give a
 * Gaussian process as rough as a random walk, which fits surfaces and steps (tensor product smooth: Gu 2013).
 */
import type { NumericPredictor, RankedInput } from './design.ts';

const STEPS = 32;
/** Omits a fifth of the prior variance. */
const MAX_WAVES = 6;

export const PAIR_WAVES: readonly (readonly [j: number, k: number])[] = Array.from({ length: MAX_WAVES }, (_, at) =>
  Array.from({ length: Math.floor(MAX_WAVES / (at + 1)) }, (_wave, k) => [at + 1, k + 1] as const),
).flat();

const NORM = Math.sqrt(PAIR_WAVES.reduce((sum, [j, k]) => sum + 1 / (j * k) ** 2, 0));

export const PAIR_SDS: readonly number[] = PAIR_WAVES.map(([j, k]) => 1 / (j * k) / NORM);

/** Undefined with fewer than two distinct values. */
export function rankInput({ name, values }: NumericPredictor): RankedInput | undefined {
  const sorted = values.filter(Number.isFinite).sort();
  const last = sorted.length - 1;
  if (last < 1 || sorted[0] === sorted[last]) return undefined;
  return { name, cuts: Array.from({ length: STEPS + 1 }, (_, step) => sorted[Math.round((step / STEPS) * last)]!) };
}

/** Interpolates linearly; equal cuts give their midpoint. */
export function rankShare(cuts: readonly number[], value: number): number {
  const last = cuts.length - 1;
  const below = countWhile(cuts, (cut) => cut < value);
  const upTo = countWhile(cuts, (cut) => cut <= value);
  if (upTo > below) return (below + upTo - 1) / 2 / last;
  if (below === 0) return 0;
  if (below > last) return 1;
  // Halving avoids overflow.
  const [low, high] = [cuts[below - 1]! / 2, cuts[below]! / 2];
  return (below - 1 + (value / 2 - low) / (high - low)) / last;
}

function countWhile(sorted: readonly number[], holds: (item: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** √2 cos(πj u), mean square about 1; missing cells are 0. */
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
