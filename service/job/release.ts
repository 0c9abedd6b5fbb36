/** Rows that broke the release policy are withheld until the owner of the job releases them. */
import { ServiceError } from '../../packages/contract/errors.ts';
import { type PolicyBreach, policyBreaches, type ReleaseMetrics } from '../../packages/contract/releasePolicy.ts';
import type { ReleaseState } from '../../packages/contract/states.ts';
import type { Service } from '../service.ts';
import { findJob } from '../service.ts';
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
  const release = job.metrics?.release;
  throw new ServiceError({ reason: 'rows_withheld', job_id: job.id, breaches: release ? breachesOf(release) : [] });
}

/** There is a reason for each breach: where one is missing, the table has no column to measure the share by. */
function breachesOf({ policy, found, reasons }: ReleaseMetrics): PolicyBreach[] {
  const breaches = policyBreaches(policy, found, true);
  return breaches.length > reasons.length ? policyBreaches(policy, found, false) : breaches;
}

/**
 * Releases the rows of a finished job that are withheld; a job whose rows are not is left as it is. Throws `invalid_job`
 * (404) and, for a job that is not done, `job_conflict`.
 */
export async function releaseJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId);
  const state = releaseStateOf(job);
  if (state === undefined) {
    throw new ServiceError({ reason: 'job_has_no_rows', job_id: jobId, state: job.state });
  }
  if (state !== 'withheld') return;
  if (await service.jobs.release(jobId, job.attempt, service.clock.now().toISOString())) {
    service.log.info('job_released', { job_id: jobId, attempt: job.attempt });
  }
}
