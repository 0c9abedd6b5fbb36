/** Rows that broke the release policy are withheld until somebody whose key may releases them. */
import { ServiceError } from '../../packages/contract/errors.ts';
import { type PolicyBreach, policyBreaches, type ReleaseMetrics } from '../../packages/contract/releasePolicy.ts';
import type { ReleaseState } from '../../packages/contract/states.ts';
import type { KeyRecord } from '../ports.ts';
import type { Service } from '../service.ts';
import { jobUnknown } from '../service.ts';
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
  const breaches = policyBreaches(policy, found, { needsShare: true });
  return breaches.length > reasons.length ? policyBreaches(policy, found, { needsShare: false }) : breaches;
}

type Releaser = Pick<KeyRecord, 'id' | 'rights'>;

/**
 * Releases the rows of a finished job that are withheld, and gives the job; one whose rows are not is left as it is. A key with
 * the right to release may do so for the job of any key. Throws `invalid_job` (404), for a job that is not done
 * `job_conflict`, and `release_not_allowed` (403).
 */
export async function releaseJob(service: Service, key: Releaser, jobId: string): Promise<Job> {
  const job = await service.jobs.find(jobId);
  if (!job || (job.keyId !== key.id && !hasRight(key))) throw jobUnknown(jobId);
  const state = releaseStateOf(job);
  if (state === undefined) {
    throw new ServiceError({ reason: 'job_has_no_rows', job_id: jobId, state: job.state });
  }
  if (state !== 'withheld') return job;
  if (!hasRight(key)) {
    throw new ServiceError({ reason: 'key_may_not_release', job_id: jobId });
  }
  const at = service.clock.now().toISOString();
  if (await service.jobs.release(jobId, job.attempt, at)) {
    service.log.info('job_released', { job_id: jobId, attempt: job.attempt, key_id: key.id, owner: job.keyId });
  }
  return (await service.jobs.find(jobId)) ?? job;
}

const hasRight = ({ rights }: Releaser): boolean => rights.includes('release');
