/** Boosts columns, in worker threads if faster, with the same result. */
import { createStream } from '../../../numerics/random/createStream.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps, type Steps } from '../../../numerics/steps.ts';
import type { ClassTrees } from '../../../numerics/trees/classTrees.ts';
import type { MeanTask } from '../../../numerics/trees/meanTrees.ts';
import { shareArrays, watched } from '../../../numerics/workers.ts';
import { fitLabelModel, type LabelFit, type LabelTask } from '../categorical/treesOrAssociation.ts';
import { type DensityFit, type DensityTask, densityIfBetter } from '../copula/chooseDensity.ts';
import { type BoostingTask, fitBoosted, fitMean } from './boosting.ts';
import { ThreadPool, threadsWorth } from './threadPool.ts';

const ENTRY = new URL('./boostWorker.ts', import.meta.url);
const SECONDS_A_CELL = 1e-5;

export type BoostTask = DensityTask | LabelTask | BoostingTask | MeanTask;
export type FitOf<Task extends BoostTask> = Task extends DensityTask
  ? DensityFit | null
  : Task extends LabelTask
    ? LabelFit
    : ClassTrees;

/** Not validated, since both sides run the same version. */
export interface BoostOrder {
  task: BoostTask;
  seed: number;
}
export interface BoostReply<Task extends BoostTask> {
  fit: FitOf<Task>;
}

export interface BoostHooks {
  yieldToEventLoop(): Promise<void>;
  onColumn(done: number): Promise<void>;
  /** Defaults to as many as pay off; 0 uses the main thread. */
  workers?: number;
}

export function boost<Task extends BoostTask>(task: Task, seed: number): Steps<FitOf<Task>> {
  // TypeScript cannot relate the branch to the type.
  return stepsOf(task, createStream(seed, 'boosting')) as Steps<FitOf<Task>>;
}

function stepsOf(task: BoostTask, random: RandomStream): Steps<DensityFit | LabelFit | ClassTrees | null> {
  if ('present' in task) return densityIfBetter(task, random);
  if ('label' in task) return fitLabelModel(task, random);
  return 'target' in task ? fitMean(task) : fitBoosted(task, random);
}

export interface BoostJob<Task extends BoostTask> {
  cells: number;
  seed: number;
  /** Tasks of many columns would fill the memory. */
  task(): Task;
}

/** Throws JobError if a thread dies; always ends its threads. */
export async function boostInThreads<Task extends BoostTask>(
  jobs: readonly BoostJob<Task>[],
  hooks: BoostHooks,
): Promise<FitOf<Task>[]> {
  const count = hooks.workers ?? threadsFor(jobs);
  const fits = new Array<FitOf<Task>>(jobs.length);
  if (count === 0) {
    for (const [at, { task, seed }] of jobs.entries()) {
      fits[at] = await inSteps(boost(task(), seed), hooks.yieldToEventLoop);
      await hooks.onColumn(at + 1);
    }
    return fits;
  }
  const pool = new ThreadPool<BoostOrder, BoostReply<Task>>({ entry: ENTRY, count, work: 'trees' });
  try {
    let done = 0;
    await pool.each(jobs, async ({ task, seed }, ask, at) => {
      fits[at] = (await watched(ask({ task: shareArrays(task()), seed }), hooks.yieldToEventLoop)).fit;
      await hooks.onColumn(++done);
    });
    return fits;
  } finally {
    await pool.close();
  }
}

function threadsFor(jobs: readonly BoostJob<BoostTask>[]): number {
  const cells = jobs.reduce((sum, job) => sum + job.cells, 0);
  return threadsWorth(cells * SECONDS_A_CELL, jobs.length);
}
