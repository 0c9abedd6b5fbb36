/** Boosts several columns, in worker threads where that is faster. What comes out is the same wherever it is fitted. */
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
/** Seconds of one thread for a cell of a column or one of its parents, at a guess. */
const SECONDS_A_CELL = 1e-5;

export type BoostTask = DensityTask | LabelTask | BoostingTask | MeanTask;
export type FitOf<Task extends BoostTask> = Task extends DensityTask
  ? DensityFit | null
  : Task extends LabelTask
    ? LabelFit
    : ClassTrees;

/** To a thread, and back; neither is checked with zod: both sides are one version of this code. */
export interface BoostOrder {
  task: BoostTask;
  seed: number;
}
export interface BoostReply<Task extends BoostTask> {
  fit: FitOf<Task>;
}

export interface BoostHooks {
  yieldToEventLoop(): Promise<void>;
  /** After each column. */
  onColumn(done: number): Promise<void>;
  /** Threads: as many as cores, and at most eight, where they pay if not given; 0 fits all columns here. */
  workers?: number;
}

/** Steps: a round each. */
export function boost<Task extends BoostTask>(task: Task, seed: number): Steps<FitOf<Task>> {
  // The compiler does not see that the branch is that of the type.
  return stepsOf(task, createStream(seed, 'boosting')) as Steps<FitOf<Task>>;
}

function stepsOf(task: BoostTask, random: RandomStream): Steps<DensityFit | LabelFit | ClassTrees | null> {
  if ('present' in task) return densityIfBetter(task, random);
  if ('label' in task) return fitLabelModel(task, random);
  return 'target' in task ? fitMean(task) : fitBoosted(task, random);
}

/** A column to boost. */
export interface BoostJob<Task extends BoostTask> {
  /** Rows times columns that its trees may split on. */
  cells: number;
  seed: number;
  /** Made when its turn comes: tasks of many columns would fill the memory. */
  task(): Task;
}

/** The fits in the order of the jobs. JobError where a thread dies. Whatever ends it, no thread is left. */
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
      // A thread works for seconds: meanwhile the job may be stopped.
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
