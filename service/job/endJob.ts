/** Jobs that end before their time, or go: cancelled, erased on request. */

import { ServiceError } from '../../packages/contract/errors.ts';
import type { JobFailure } from '../../packages/contract/problems.ts';
import type { Service } from '../service.ts';
import { findJob } from '../service.ts';
import { CANCELLED } from './failures.ts';
import { isActive, type Job, slotOf, sourceOf } from './job.ts';
import { jobPrefix, sampleMarkKey, samplesPrefix } from './objectKeys.ts';

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
