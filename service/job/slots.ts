import { ServiceError } from '../../packages/contract/errors.ts';
import { RETRY_AFTER_SECONDS, type Service } from '../service.ts';
import { type Attempt, jobOfSlot, slotOf } from './job.ts';

/**
 * Recounts the key's slots afterwards: concurrent requests never exceed the limit, but all may be refused.
 * @throws `job_conflict`; `capacity_exceeded`.
 */
export async function takeSlot(
  service: Pick<Service, 'jobs' | 'settings'>,
  keyId: string,
  { jobId, attempt }: Attempt,
): Promise<void> {
  const { jobs, settings } = service;
  const { maxRunningJobs, maxRunningJobsPerKey = maxRunningJobs } = settings;
  const slot = slotOf(jobId, attempt);
  const isBound = maxRunningJobsPerKey < maxRunningJobs;
  if (isBound && (await othersOf(service, keyId, slot)) >= maxRunningJobsPerKey) throw keyFull(maxRunningJobsPerKey);
  const outcome = await jobs.takeSlot(slot, maxRunningJobs);
  if (outcome === 'held') throw new ServiceError({ reason: 'job_being_started', job_id: jobId });
  if (outcome === 'full') throw full(maxRunningJobs);
  if (!isBound || (await othersOf(service, keyId, slot)) < maxRunningJobsPerKey) return;
  await jobs.freeSlot(slot);
  throw keyFull(maxRunningJobsPerKey);
}

async function othersOf({ jobs }: Pick<Service, 'jobs'>, keyId: string, own: string): Promise<number> {
  const others = (await jobs.slots()).filter((slot) => slot !== own);
  const owners = await Promise.all(others.map((slot) => jobs.find(jobOfSlot(slot).jobId)));
  return owners.filter((job) => job?.keyId === keyId).length;
}

export const full = (limit: number): ServiceError =>
  new ServiceError({ reason: 'slots_taken', max: limit, seconds: RETRY_AFTER_SECONDS });

const keyFull = (limit: number): ServiceError =>
  new ServiceError({ reason: 'key_slots_taken', max: limit, seconds: RETRY_AFTER_SECONDS });
