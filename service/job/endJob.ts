/** Jobs that end before their time, or go: cancelled, erased on request, erased when their time is over. */

import { ServiceError } from '../../packages/contract/errors.ts';
import type { JobFailure } from '../../packages/contract/problems.ts';
import type { Service } from '../service.ts';
import { findJob } from '../service.ts';
import { CANCELLED } from './failures.ts';
import { isActive, type Job, slotOf, sourceOf } from './job.ts';
import { JOBS_PREFIX, jobOfKey, jobPrefix, sampleMarkKey, samplesPrefix, uploadKeys } from './objectKeys.ts';

/** Ends an active attempt: its record first, then its compute, then its slot. False where it was over already. */
export async function endAttempt(service: Service, job: Job, failure: JobFailure): Promise<boolean> {
  const ended = await service.jobs.fail(job.id, job.attempt, failure, service.clock.now().toISOString());
  await service.queue.cancel(job.id, job.attempt);
  await service.jobs.freeSlot(slotOf(job.id, job.attempt));
  if (ended) service.log.info('job_failed', { job_id: job.id, attempt: job.attempt, code: failure.code });
  return ended;
}

/** started | running → failed with code `cancelled`. Throws `invalid_job`, and `job_conflict` where nothing runs. */
export async function cancelJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId);
  if (isActive(job.state) && (await endAttempt(service, job, CANCELLED))) return;
  throw new ServiceError({ reason: 'job_not_running', job_id: jobId });
}

// Jobs that go: erased on request, or when their time is over.

/**
 * Ends the job if it is active, then erases its objects and its record, and all samples of its model. Throws `invalid_job`
 * (404). The record goes after the objects, so that an erasure cut off in the middle can be asked for again; the objects
 * are erased once more for what a run has written in between.
 */
export async function eraseJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId);
  const marks = await service.objects.list(samplesPrefix(jobId));
  await eraseOne(service, job);
  for (const mark of marks) {
    const sample = await service.jobs.find(mark.slice(samplesPrefix(jobId).length));
    if (sample?.keyId === keyId) await eraseOne(service, sample);
  }
}

async function eraseOne(service: Service, job: Job): Promise<void> {
  const { objects, jobs, callbacks, log } = service;
  if (isActive(job.state)) await endAttempt(service, job, CANCELLED);
  await objects.erase(jobPrefix(job.id));
  await callbacks.erase(job.id);
  await jobs.erase(job.id);
  await objects.erase(jobPrefix(job.id));
  const source = sourceOf(job);
  if (source) await objects.erase(sampleMarkKey(source.job_id, job.id));
  log.info('job_erased', { job_id: job.id });
}

/** Objects without a record are kept so long: an upload's record is written after its objects. */
export const ORPHAN_MS = 3_600_000;

const HOUR_MS = 3_600_000;

/** Job ids seen with objects and without a record, with the time (ms) when they were first seen so. */
export type Orphans = Map<string, number>;

/**
 * Erases what is kept no longer: upload and profile after `uploadRetentionHours`, results after `resultRetentionHours`,
 * both counted from the job's end (or, never started, from its upload), the record after the longer of the two, and
 * objects that no record knows. `orphans` is kept by the caller from one call to the next.
 */
export async function expireObjects(
  service: Pick<Service, 'jobs' | 'objects' | 'callbacks' | 'clock' | 'log' | 'settings'>,
  orphans: Orphans,
): Promise<void> {
  const now = service.clock.now().getTime();
  const { uploadRetentionHours, resultRetentionHours } = service.settings;
  const before = (hours: number) => new Date(now - hours * HOUR_MS).toISOString();
  for (const job of await service.jobs.endedBefore(before(uploadRetentionHours))) await expireUpload(service, job);
  for (const job of await service.jobs.endedBefore(before(resultRetentionHours))) await expireResults(service, job);
  const longest = Math.max(uploadRetentionHours, resultRetentionHours);
  for (const job of await service.jobs.endedBefore(before(longest))) await expireRecord(service, job);
  await eraseOrphans(service, orphans, now);
}

type Stores = Pick<Service, 'jobs' | 'objects' | 'callbacks' | 'log'>;

async function expireUpload({ objects, log }: Stores, job: Job): Promise<void> {
  const there = await objects.list(jobPrefix(job.id));
  const due = uploadKeys(job.id).filter((key) => there.includes(key));
  for (const key of due) await objects.erase(key);
  if (due.length > 0) log.info('upload_expired', { job_id: job.id });
}

async function expireResults({ objects, log }: Stores, job: Job): Promise<void> {
  const kept = uploadKeys(job.id);
  const due = (await objects.list(jobPrefix(job.id))).filter((key) => !kept.includes(key));
  for (const key of due) await objects.erase(key);
  if (due.length > 0) log.info('result_expired', { job_id: job.id });
}

async function expireRecord({ jobs, objects, callbacks, log }: Stores, job: Job): Promise<void> {
  await objects.erase(jobPrefix(job.id));
  await callbacks.erase(job.id);
  await jobs.erase(job.id);
  log.info('job_expired', { job_id: job.id });
}

async function eraseOrphans({ jobs, objects, log }: Stores, orphans: Orphans, now: number): Promise<void> {
  const ids = new Set((await objects.list(JOBS_PREFIX)).map(jobOfKey));
  for (const id of orphans.keys()) if (!ids.has(id)) orphans.delete(id);
  for (const id of ids) {
    if (await jobs.find(id)) {
      orphans.delete(id);
      continue;
    }
    const since = orphans.get(id) ?? now;
    orphans.set(id, since);
    if (now - since < ORPHAN_MS) continue;
    await objects.erase(jobPrefix(id));
    orphans.delete(id);
    log.info('orphan_erased', { job_id: id });
  }
}
