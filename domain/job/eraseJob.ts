import type { Service } from '../service.ts';
import { endAttempt } from './endAttempt.ts';
import { CANCELLED } from './failures.ts';
import { findJob } from './findJob.ts';
import { isActive } from './job.ts';
import { jobPrefix } from './objectKeys.ts';

/**
 * Ends the job if it is active, then erases its objects and its record. Throws `invalid_job` (404). The record goes after
 * the objects, so that an erasure cut off in the middle can be asked for again; the objects are erased once more for what
 * a run has written in between.
 */
export async function eraseJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId, 404);
  if (isActive(job.state)) await endAttempt(service, job, CANCELLED);
  await service.objects.erase(jobPrefix(jobId));
  await service.jobs.erase(jobId);
  await service.objects.erase(jobPrefix(jobId));
  service.log.info('job_erased', { job_id: jobId });
}
