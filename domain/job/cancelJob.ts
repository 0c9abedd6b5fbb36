import { ServiceError } from '../errors.ts';
import type { Service } from '../service.ts';
import { endAttempt } from './endAttempt.ts';
import { CANCELLED } from './failures.ts';
import { findJob } from './findJob.ts';
import { isActive } from './job.ts';

/** started | running → failed with code `cancelled`. Throws `invalid_job` (404), and `job_conflict` where nothing runs. */
export async function cancelJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId, 404);
  if (isActive(job.state) && (await endAttempt(service, job, CANCELLED))) return;
  throw new ServiceError('job_conflict', `Job ${jobId} is not running: there is nothing to cancel.`);
}
