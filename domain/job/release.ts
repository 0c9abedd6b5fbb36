/** Rows that broke the release policy are withheld until the owner of the job releases them. */
import { ServiceError } from '../errors.ts';
import type { ReleaseState } from '../schema/releasePolicy.ts';
import type { Service } from '../service.ts';
import { findJob } from './findJob.ts';
import type { Job } from './job.ts';

/** Undefined for a job that is not done: it has no rows. */
export function releaseStateOf({ state, metrics, releasedAt }: Job): ReleaseState | undefined {
  if (state !== 'done') return undefined;
  if (metrics?.release?.outcome !== 'withheld') return 'open';
  return releasedAt === null ? 'withheld' : 'released';
}

/** For every way to rows of a job. Throws `withheld` (403) with the reasons. */
export function refuseWithheld(job: Job): void {
  if (releaseStateOf(job) !== 'withheld') return;
  const reasons = job.metrics?.release?.reasons ?? [];
  throw new ServiceError(
    'withheld',
    `The rows of job ${job.id} are withheld by its release policy. ${reasons.join(' ')} GET /report/${job.id} shows the figures; POST /jobs/${job.id}/release gives the rows out all the same.`,
  );
}

/**
 * Gives out the rows of a finished job that are withheld; a job whose rows are not is left as it is. Throws `invalid_job`
 * (404) and, for a job that is not done, `job_conflict`.
 */
export async function releaseJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId, 404);
  const state = releaseStateOf(job);
  if (state === undefined) {
    throw new ServiceError(
      'job_conflict',
      `Job ${jobId} is ${job.state}: it has no rows to release. Ask GET /status/${jobId} until it is done.`,
    );
  }
  if (state !== 'withheld') return;
  if (await service.jobs.release(jobId, job.attempt, service.clock.now().toISOString())) {
    service.log.info('job_released', { job_id: jobId, attempt: job.attempt });
  }
}
