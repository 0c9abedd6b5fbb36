import type { Service } from '../service.ts';
import { type Job, type JobFailure, slotOf } from './job.ts';

/** Ends an active attempt: its record first, then its compute, then its slot. False where it was over already. */
export async function endAttempt(service: Service, job: Job, failure: JobFailure): Promise<boolean> {
  const ended = await service.jobs.fail(job.id, job.attempt, failure, service.clock.now().toISOString());
  await service.queue.cancel(job.id, job.attempt);
  await service.jobs.releaseSlot(slotOf(job.id, job.attempt));
  if (ended) service.log.info('job_failed', { job_id: job.id, attempt: job.attempt, code: failure.code });
  return ended;
}
