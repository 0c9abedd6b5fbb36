/**
 * Which pairs of columns are measured: AIM (McKenna, Mullins, Sheldon and Miklau, 2022). In turns, the pair that the model
 * has most wrong is chosen by chance that costs, measured with noise, and the model fitted to all that was measured.
 */
import { type FittedMarginals, fitMarginals, type MeasuredMarginal } from '../../../numerics/markov/fitMarginals.ts';
import { treeCells } from '../../../numerics/markov/junctionTree.ts';
import type { Potential } from '../../../numerics/markov/markovModel.ts';
import { eachPair } from '../../../numerics/markov/pairMarginals.ts';
import type { Curator, NoisyCounts } from '../../../numerics/privacy/curator.ts';

export interface SelectTask {
  /** The bin of each row, by column; below 0 where it is counted in none. */
  bins: readonly Int32Array[];
  sizes: readonly number[];
  /** The columns by themselves, or by the target. */
  measured: readonly MeasuredMarginal[];
  /** Rows, as far as they are known. */
  total: number;
  /** The column that is to be predicted, pairs with which count double; null where there is none. */
  target: number | null;
  curator: Curator;
  /** What may be spent. */
  rho: number;
  onRound(share: number): Promise<void>;
  yieldToEventLoop(): Promise<void>;
}

export interface SelectedPairs {
  measured: MeasuredMarginal[];
  fitted: FittedMarginals;
}

/** Rounds that the budget begins with, for each column: AIM's 16 are too cautious where pairs alone are asked. */
const ROUNDS_PER_COLUMN = 4;
/** What choosing takes of a round. */
const CHOICE_SHARE = 0.15;
/** The share of the room that is free from the start. */
const FIRST_ROOM = 0.1;
/** Cells of all cliques together, at most: memory and time. */
export const MAX_CELLS = 250_000;
/** What a pair without the target counts beside one with it. */
const OTHERS_WEIGHT = 0.5;
/** How much more a round costs when noise hid what it measured. */
const FINER = 2;
/** How much the potentials of pairs are kept near 0. */
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
    // A measurement that hardly moved the model was mostly noise: the next ones are more precise.
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

/** All pairs with their true counts, which are looked at by the curator alone. */
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

/** Pairs with which the tree does not outgrow its room, more of which is given as the budget is spent, or where none would fit. */
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

/** Whole numbers of rows that the model gives the cells of each pair. */
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

/** What measuring it is expected to gain: one row more or less changes it by 1 at most. */
function scoreOf(pair: Pair, model: (pair: Pair) => Int32Array, variance: number, target: number | null): number {
  const gain = distance(pair.counts, model(pair)) - Math.round(expectedNoise(variance, pair.counts.length));
  // Whole numbers of a factor below 1 differ by no more than those of 1 do.
  return target === null || pair.scope.includes(target) ? gain : Math.floor(OTHERS_WEIGHT * gain);
}

/** The mean of the sum of the sizes of so many normal variables. */
const expectedNoise = (variance: number, cells: number): number => Math.sqrt((2 / Math.PI) * variance) * cells;

function distance(a: Int32Array, b: Int32Array): number {
  let sum = 0;
  for (let cell = 0; cell < a.length; cell++) sum += Math.abs(a[cell]! - b[cell]!);
  return sum;
}
