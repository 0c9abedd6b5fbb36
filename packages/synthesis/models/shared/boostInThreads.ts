/** Boosts columns, in worker threads if faster, with the same result. */
import { createStream } from '../../../numerics/random/createStream.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Steps } from '../../../numerics/steps.ts';
import { runTasks, threadsWorth } from '../../tasks/runTasks.ts';
import { bySteps, type Task, type TaskCost, type TaskName } from '../../tasks/task.ts';

export interface BoostOrder<Data> {
  task: Data;
  seed: number;
}

export interface BoostTask<Data, Fit> extends Task<BoostOrder<Data>, Fit> {
  cost: TaskCost<'cell'>;
}

export const boostTask = <Name extends TaskName, Data, Fit>(
  name: Name,
  fitSteps: (task: Data, random: RandomStream) => Steps<Fit>,
): BoostTask<Data, Fit> & { name: Name } => ({
  name,
  work: 'trees',
  cost: { seconds: { cell: 1e-5 } },
  open: bySteps(({ task, seed }) => fitSteps(task, createStream(seed, 'boosting'))),
});

export interface BoostHooks {
  yieldToEventLoop(): Promise<void>;
  onColumn(done: number): Promise<void>;
  /** Defaults to as many as pay off; 0 uses the main thread. */
  workers?: number;
}

export interface BoostJob<Data> {
  cells: number;
  seed: number;
  /** Tasks of many columns would fill the memory. */
  task(): Data;
}

/** Throws JobError if a thread dies; always ends its threads. */
export async function boostInThreads<Data, Fit>(
  boost: BoostTask<Data, Fit>,
  jobs: readonly BoostJob<Data>[],
  { yieldToEventLoop, onColumn, workers }: BoostHooks,
): Promise<Fit[]> {
  const cells = jobs.reduce((sum, job) => sum + job.cells, 0);
  let done = 0;
  return runTasks(
    boost,
    jobs.map(({ task, seed }) => () => ({ task: task(), seed })),
    {
      threads: workers ?? threadsWorth(boost, { cell: cells }, jobs.length),
      yieldToEventLoop,
      take: async (fit) => {
        await onColumn(++done);
        return fit;
      },
    },
  );
}
