/** Fits a vine to ranks (d columns, n rows): the dependence that trees leave. */

import type { PairFit } from '../../../numerics/copula/fitPair.ts';
import { restorePair } from '../../../numerics/copula/restorePair.ts';
import { fitVine } from '../../../numerics/copula/vine/fitVine.ts';
import type { Choices, EdgeTask, VineHooks, VineSettings } from '../../../numerics/copula/vine/settings.ts';
import { simulateSteps } from '../../../numerics/copula/vine/simulateVine.ts';
import { restoreVine, saveVine, type Vine, type VineData } from '../../../numerics/copula/vine/vine.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps } from '../../../numerics/steps.ts';
import { TaskRunner, threadsWorth } from '../../tasks/runTasks.ts';
import type { FitTask } from '../model.ts';
import { savedBy } from '../shared/savedArrays.ts';
import { fitVineEdge } from './vineEdge.ts';

/** Wide tables get only the first trees. */
const MAX_EDGES = 1_000;
const MIN_ROWS = 20;

export const vineSchema = savedBy(restoreVine, saveVine);

/** Fits ranks (d × n, NaN if missing). Returns null if there are too few. */
export async function fitRanks(ranks: readonly Float64Array[], task: FitTask): Promise<Vine | null> {
  const d = ranks.length;
  if (d < 2 || ranks[0]!.length < MIN_ROWS) return null;
  const truncation = Math.max(1, Math.min(d - 1, Math.floor(MAX_EDGES / d)));
  return fitVineInWorkers(
    { u: ranks },
    { truncation },
    {
      random: task.random.child('vine'),
      yieldToEventLoop: task.yieldToEventLoop,
      onTree: (done, trees) => reportTree(done, trees, task),
    },
  );
}

async function reportTree(done: number, trees: number, task: FitTask): Promise<void> {
  if (done === trees || done % Math.ceil(trees / 5) === 0) {
    await task.onProgress({ stage: 'fit', fact: 'vine_fitted', done, total: trees });
  }
}

/** Draws ranks in (0, 1), d of n, independent without a vine. Throws whatever `yieldToEventLoop` throws. */
export const drawRanks = async (
  vine: Vine | null,
  d: number,
  n: number,
  random: RandomStream,
  yieldToEventLoop: () => Promise<void>,
): Promise<Float64Array[]> =>
  vine
    ? inSteps(simulateSteps(vine, n, random), yieldToEventLoop)
    : Array.from({ length: d }, () => Float64Array.from({ length: n }, () => random.uniform()));

const MAX_ROWS = 60_000;

interface WorkerHooks extends Omit<VineHooks, 'fitEdges'> {
  yieldToEventLoop(): Promise<void>;
  /** Defaults to as many as pay off; 0 uses the main thread. */
  workers?: number;
}

/** Equals `fitVine`. Throws JobError if a thread dies; always ends its threads. */
export async function fitVineInWorkers(data: VineData, settings: VineSettings, hooks: WorkerHooks): Promise<Vine> {
  const { workers: threads = threadsFor(data, settings), yieldToEventLoop } = hooks;
  if (threads === 0) return fitVine(data, settings, hooks);
  const runner = new TaskRunner(fitVineEdge, { threads });
  /** Keeps task order, bit-identical to `fitEdge`. */
  const fitEdges = (tasks: readonly EdgeTask[], choices: Choices): Promise<PairFit[]> =>
    runner.run(
      runner.share(tasks).map((task) => () => ({ task, choices })),
      { yieldToEventLoop, take: ({ saved, logLikelihood }) => ({ pair: restorePair(saved), logLikelihood }) },
    );
  try {
    return await fitVine(data, settings, { ...hooks, fitEdges });
  } finally {
    await runner.close();
  }
}

function threadsFor({ u }: VineData, { truncation, fitRows }: VineSettings): number {
  const trees = Math.min(u.length - 1, typeof truncation === 'number' ? truncation : u.length);
  const edges = trees * u.length - (trees * (trees + 1)) / 2;
  const rows = Math.min(u[0]?.length ?? 0, fitRows ?? MAX_ROWS);
  return threadsWorth(fitVineEdge, { edge: edges, edgeRow: edges * rows }, u.length);
}
