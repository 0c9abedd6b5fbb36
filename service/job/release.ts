import { ServiceError } from '../../packages/contract/errors.ts';
import { type PolicyBreach, policyBreaches, type ReleaseMetrics } from '../../packages/contract/releasePolicy.ts';
import type { ReleaseState } from '../../packages/contract/states.ts';
import type { KeyRecord } from '../ports.ts';
import type { Service } from '../service.ts';
import { jobUnknown } from '../service.ts';
import type { Job } from './job.ts';

/** Undefined until the job is done. */
export function releaseStateOf({ state, metrics, releasedAt }: Job): ReleaseState | undefined {
  if (state !== 'done') return undefined;
  if (metrics?.release?.outcome !== 'withheld') return 'open';
  return releasedAt === null ? 'withheld' : 'released';
}

/** Guards every access to rows. Throws `withheld` (403). */
export function refuseWithheld(job: Job): void {
  if (releaseStateOf(job) !== 'withheld') return;
  const release = job.metrics?.release;
  throw new ServiceError({ reason: 'rows_withheld', job_id: job.id, breaches: release ? breachesOf(release) : [] });
}

/** Each breach has a reason; if one is missing, no column measures the share. */
function breachesOf({ policy, found, reasons }: ReleaseMetrics): PolicyBreach[] {
  const breaches = policyBreaches(policy, found, { needsShare: true });
  return breaches.length > reasons.length ? policyBreaches(policy, found, { needsShare: false }) : breaches;
}

type Releaser = Pick<KeyRecord, 'id' | 'rights'>;

/**
 * Releases withheld rows; a key with the right to release may do so for any key's job.
 * @throws `invalid_job` (404); `job_conflict` if the job is not done; `release_not_allowed` (403).
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
