/** The job that the path names. */
import { findJob } from '../../domain/job/findJob.ts';
import type { Job } from '../../domain/job/job.ts';
import type { ApiContext } from './context.ts';

/** Throws `invalid_job` (404). */
export async function jobInPath(c: ApiContext): Promise<Job> {
  const job = await findJob(c.get('service'), c.get('keyId'), c.req.param('job_id') ?? '', 404);
  c.set('jobId', job.id);
  return job;
}
