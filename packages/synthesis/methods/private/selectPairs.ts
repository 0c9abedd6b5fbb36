/**
 * Selects pairs by AIM (McKenna, Mullins, Sheldon and Miklau, 2022): draws a badly fitted pair, measures it with noise,
 * and refits.
 */
import { type FittedMarginals, fitMarginals, type MeasuredMarginal } from '../../../numerics/markov/fitMarginals.ts';
import { treeCells } from '../../../numerics/markov/junctionTree.ts';
import type { Potential } from '../../../numerics/markov/markovModel.ts';
import { eachPair } from '../../../numerics/markov/pairMarginals.ts';
import type { Curator, NoisyCounts } from '../../../numerics/privacy/curator.ts';

export interface SelectTask {
  /** By column and row; below 0 if uncounted. */
  bins: readonly Int32Array[];
  sizes: readonly number[];
  measured: readonly MeasuredMarginal[];
  /** Estimated rows. */
  total: number;
  /** Its pairs count double. */
  target: number | null;
  curator: Curator;
  rho: number;
  onRound(share: number): Promise<void>;
  yieldToEventLoop(): Promise<void>;
}

export interface SelectedPairs {
  measured: MeasuredMarginal[];
  fitted: FittedMarginals;
}

/** Initial rounds; AIM's 16 is too cautious for pairs alone. */
const ROUNDS_PER_COLUMN = 4;
/** Share of a round's budget for choosing. */
const CHOICE_SHARE = 0.15;
/** Cells free from the start. */
const FIRST_ROOM = 0.1;
/** Maximum cells of all cliques, to limit memory and time. */
export const MAX_CELLS = 250_000;
const OTHERS_WEIGHT = 0.5;
/** Factor on a round's cost if noise hid the result. */
const FINER = 2;
/** Shrinkage of pair potentials. */
export const PAIR_PULL = 0.01;
const ROUND_STEPS = 40;
const LAST_STEPS = 600;

export async function selectPairs(task: SelectTask): Promise<SelectedPairs> {
  const { sizes, total, curator, yieldToEventLoop } = task;
  const measured = [...task.measured];
  const fitAll = (steps: number, potentials: readonly Potential[]) =>
    fitMarginals(sizes, measured, { total, steps, potentials }, yieldToEventLoop);
  const pairs = pairsOf(task);
  let left = task.rho;
  let fitted = await fitAll(LAST_STEPS, []);
  let model = await pairsOfModel(fitted, total, yieldToEventLoop);
  let cost = left / (ROUNDS_PER_COLUMN * sizes.length);
  while (left > 1e-9 * task.rho && pairs.length > 0) {
    if (left < 2 * cost) cost = left;
    left -= cost;
    const variance = 1 / (2 * (1 - CHOICE_SHARE) * cost);
    const able = withinRoom(pairs, measured, sizes, 1 - left / task.rho);
    if (able.length === 0) break;
    const chosen =
      able[
        curator.choose(
          able.map((pair) => scoreOf(pair, model, variance, task.target)),
          CHOICE_SHARE * cost,
        )
      ]!;
    const found = curator.count(chosen.counts, (1 - CHOICE_SHARE) * cost);
    const before = model(chosen);
    measured.push(marginalFrom(chosen.scope, found));
    fitted = await fitAll(ROUND_STEPS, fitted.potentials);
    model = await pairsOfModel(fitted, total, yieldToEventLoop);
    // A measurement that hardly moves the model was mostly noise.
    if (distance(before, model(chosen)) <= expectedNoise(found.variance, chosen.counts.length))
      cost = Math.min(FINER * cost, left || cost);
    await task.onRound(1 - left / task.rho);
  }
  return { measured, fitted: await fitAll(LAST_STEPS, fitted.potentials) };
}

interface Pair {
  scope: readonly [number, number];
  counts: Int32Array;
}

/** Only the curator may use these true counts. */
function pairsOf({ bins, sizes }: SelectTask): Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0; i < sizes.length; i++) {
    for (let j = i + 1; j < sizes.length; j++) {
      const counts = new Int32Array(sizes[i]! * sizes[j]!);
      const [a, b, width] = [bins[i]!, bins[j]!, sizes[j]!];
      for (let row = 0; row < a.length; row++) if (a[row]! >= 0 && b[row]! >= 0) counts[a[row]! * width + b[row]!]!++;
      pairs.push({ scope: [i, j], counts });
    }
  }
  return pairs;
}

const marginalFrom = (scope: readonly number[], { counts, variance }: NoisyCounts): MeasuredMarginal => ({
  scope,
  counts,
  variances: new Float64Array(counts.length).fill(variance),
  pull: PAIR_PULL,
});

/** The room for cells grows as budget is spent. */
function withinRoom(
  pairs: readonly Pair[],
  measured: readonly MeasuredMarginal[],
  sizes: readonly number[],
  share: number,
): Pair[] {
  const scopes = measured.map(({ scope }) => scope);
  const cells = pairs.map(({ scope }) => treeCells(sizes, [...scopes, scope]));
  const within = (part: number): Pair[] => pairs.filter((_, at) => cells[at]! <= part * MAX_CELLS);
  const fit = within(Math.max(share, FIRST_ROOM));
  return fit.length > 0 ? fit : within(1);
}

async function pairsOfModel({ model }: FittedMarginals, total: number, yieldToEventLoop: () => Promise<void>) {
  const known = new Map<string, Int32Array>();
  await eachPair(
    model,
    (i, j, probabilities) =>
      known.set(
        `${i} ${j}`,
        Int32Array.from(probabilities, (p) => Math.round(total * p)),
      ),
    yieldToEventLoop,
  );
  return ({ scope: [i, j] }: Pair): Int32Array => known.get(`${i} ${j}`)!;
}

/** Sensitivity to one row is at most 1. */
function scoreOf(pair: Pair, model: (pair: Pair) => Int32Array, variance: number, target: number | null): number {
  const gain = distance(pair.counts, model(pair)) - Math.round(expectedNoise(variance, pair.counts.length));
  // Rounding down keeps the sensitivity at 1.
  return target === null || pair.scope.includes(target) ? gain : Math.floor(OTHERS_WEIGHT * gain);
}

/** Expected sum of absolute normal noise. */
const expectedNoise = (variance: number, cells: number): number => Math.sqrt((2 / Math.PI) * variance) * cells;

function distance(a: Int32Array, b: Int32Array): number {
  let sum = 0;
  for (let cell = 0; cell < a.length; cell++) sum += Math.abs(a[cell]! - b[cell]!);
  return sum;
}
