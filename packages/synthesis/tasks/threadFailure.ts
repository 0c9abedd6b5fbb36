import { JobError } from '../../contract/errors.ts';
import type { ThreadWork } from '../../contract/problems.ts';
import type { WorkerDiedError } from '../../numerics/workers.ts';

export function threadFailure({ outOfMemory, cause }: WorkerDiedError, work: ThreadWork): JobError {
  if (outOfMemory) return new JobError({ reason: 'memory_limit' });
  return new JobError({ reason: 'thread_crashed', work }, { cause });
}
