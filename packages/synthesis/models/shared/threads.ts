/** Worker threads of models: one that dies fails the job. */
import type { Worker } from 'node:worker_threads';
import { JobError } from '../../../contract/errors.ts';
import type { ThreadWork } from '../../../contract/problems.ts';
import * as workers from '../../../numerics/workers.ts';

/** As `replyOf` of the workers, but throws JobError where the thread dies; `work` is what it did. */
export const replyOf = <Reply>(worker: Worker, work: ThreadWork): Promise<Reply> =>
  workers.replyOf<Reply>(worker).catch((error) => {
    throw error instanceof workers.WorkerDiedError ? threadFailure(error, work) : error;
  });

export function threadFailure({ outOfMemory, cause }: workers.WorkerDiedError, work: ThreadWork): JobError {
  if (outOfMemory) return new JobError({ reason: 'memory_limit' });
  return new JobError({ reason: 'thread_crashed', work }, { cause });
}
