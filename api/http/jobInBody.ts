/** The job that a body names, before any other field is looked at: an unknown job is told first. */

import { ServiceError } from '../../domain/errors.ts';
import { findJob } from '../../domain/job/findJob.ts';
import type { Job } from '../../domain/job/job.ts';
import type { ApiContext } from './context.ts';
import { type JsonObject, show } from './readJson.ts';

/** Throws `invalid_job` (400). */
export async function jobInBody(c: ApiContext, body: JsonObject): Promise<Job> {
  const id = Object.hasOwn(body, 'job_id') ? body.job_id : undefined;
  if (typeof id !== 'string' || id === '') {
    throw new ServiceError(
      'invalid_job',
      `job_id must be the string that POST /upload answered with; found ${show(id)}.`,
    );
  }
  const job = await findJob(c.get('service'), c.get('keyId'), id, 400);
  c.set('jobId', job.id);
  return job;
}
