/** Fits a vine, its edges in worker threads where that is faster. The vine is the same wherever they are fitted. */
import { availableParallelism } from 'node:os';
import { fitVine } from '../../../numerics/copula/vine/fitVine.ts';
import type { VineHooks, VineSettings } from '../../../numerics/copula/vine/settings.ts';
import type { Vine, VineData } from '../../../numerics/copula/vine/vine.ts';
import { EdgeWorkers } from './edgeWorkers.ts';

/** Seconds of one thread for an edge, at a guess: a part of its own, and one a row of the families' kind. */
const SECONDS_AN_EDGE = 2e-3;
const SECONDS_A_ROW = { tll: 6e-7, itau: 4e-6, mle: 1e-4 };
/** A thread needs 0.2 s to begin, and a tree with few edges keeps few of them busy. */
const WORTH_WORKERS = 2;
const MOST_ROWS = 60_000;
/** Trees are chosen between their fits in one thread, which keeps no more threads than these busy. */
const MOST_WORKERS = 8;

export interface WorkerHooks extends Omit<VineHooks, 'fitEdges'> {
  breathe(): Promise<void>;
  /** Threads: as many as cores, and at most eight, where they pay if not given; 0 fits all edges here. */
  workers?: number;
}

/** As `fitVine`; JobError where a thread dies. Whatever ends it, no thread is left. */
export async function fitVineInWorkers(data: VineData, settings: VineSettings, hooks: WorkerHooks): Promise<Vine> {
  const count =
    hooks.workers ?? (secondsOf(data, settings) < WORTH_WORKERS ? 0 : Math.min(MOST_WORKERS, availableParallelism()));
  if (count === 0) return fitVine(data, settings, hooks);
  const workers = new EdgeWorkers(count, hooks.breathe);
  try {
    return await fitVine(data, settings, { ...hooks, fitEdges: (tasks, choices) => workers.fitEdges(tasks, choices) });
  } finally {
    await workers.close();
  }
}

function secondsOf({ u }: VineData, { families, method, truncation, fitRows }: VineSettings): number {
  const trees = Math.min(u.length - 1, typeof truncation === 'number' ? truncation : u.length);
  const edges = trees * u.length - (trees * (trees + 1)) / 2;
  const kind = families === undefined || families === 'tll' ? 'tll' : method === 'itau' ? 'itau' : 'mle';
  const rows = Math.min(u[0]?.length ?? 0, fitRows ?? MOST_ROWS);
  return edges * (SECONDS_AN_EDGE + rows * SECONDS_A_ROW[kind]);
}
