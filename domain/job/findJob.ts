import { ServiceError } from '../errors.ts';
import type { Service } from '../service.ts';
import type { Job } from './job.ts';

/**
 * The key's own job. Throws `invalid_job` where there is none, or where it belongs to another key, which a client cannot
 * tell apart: with status 404 for an id in a path, 400 for one in a body.
 */
export async function findJob(service: Service, keyId: string, jobId: string, status: 400 | 404): Promise<Job> {
  const job = await service.jobs.find(jobId);
  if (job && job.keyId === keyId) return job;
  throw new ServiceError(
    'invalid_job',
    `No job ${JSON.stringify(jobId.slice(0, 64))} is known to this key. Send the job_id that POST /upload returned, with the key that uploaded it.`,
    { status },
  );
}
