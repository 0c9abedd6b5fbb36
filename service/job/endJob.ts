/** Jobs that end before their time, or go: cancelled, erased on request. */

import { ServiceError } from '../../packages/contract/errors.ts';
import type { JobFailure } from '../../packages/contract/problems.ts';
import type { Service } from '../service.ts';
import { findJob } from '../service.ts';
import { CANCELLED } from './failures.ts';
import { isUnderWay, type Job, slotOf, sourceOf } from './job.ts';
import { eraseFiles, eraseObjects, erasingKey, sampleMarkKey, samplesPrefix } from './objectKeys.ts';

/** Ends an attempt that waits or is active: its record first, then its compute, then its slot. False where it was over already, or has got its slot meanwhile. */
export async function endAttempt(service: Service, job: Job, failure: JobFailure): Promise<boolean> {
  const at = service.clock.now().toISOString();
  const isQueued = job.state === 'queued';
  const ended = await service.jobs[isQueued ? 'failQueued' : 'fail'](job.id, job.attempt, failure, at);
  if (!isQueued) await service.queue.cancel(job.id, job.attempt);
  await service.jobs.freeSlot(slotOf(job.id, job.attempt));
  if (ended) service.log.info('job_failed', { job_id: job.id, attempt: job.attempt, code: failure.code });
  return ended;
}

/** queued | started | running → failed with code `cancelled`. Throws `invalid_job`, and `job_conflict` where nothing runs. */
export async function cancelJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId);
  if (await cancel(service, job)) return;
  throw new ServiceError({ reason: 'job_not_running', job_id: jobId });
}

/** False where it is over. One that gets its slot, or goes back into the line, meanwhile is looked at again. */
async function cancel(service: Service, first: Job): Promise<boolean> {
  for (let job: Job | undefined = first; job && isUnderWay(job.state); job = await service.jobs.find(job.id)) {
    if (await endAttempt(service, job, CANCELLED)) return true;
  }
  return false;
}

/**
 * Erases a job of the key with all samples of its model: records, objects, calls. Throws `invalid_job` (404). Where it is cut
 * off in the middle, `clearCutOff` finishes it.
 */
export async function eraseJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId);
  await eraseMarked(service, job.id);
}

/**
 * Marks the job as being erased, ends it if it is active, and erases it. Does what is left to do where that was begun before.
 * The files go first: on a full disk they make room for the rest. The samples are looked for after the record is gone: one
 * that begins meanwhile is found here, or finds no source.
 */
export async function eraseMarked(service: Service, jobId: string): Promise<void> {
  const { objects, jobs, callbacks, log } = service;
  await objects.put(erasingKey(jobId), new TextEncoder().encode(jobId)).catch(passOnUnlessFull);
  const job = await jobs.find(jobId);
  if (job) await cancel(service, job);
  await eraseFiles(objects, jobId);
  await callbacks.erase(jobId);
  const source = job && sourceOf(job);
  if (source) await objects.erase(sampleMarkKey(source.job_id, jobId));
  await jobs.erase(jobId);
  for (const mark of await objects.list(samplesPrefix(jobId))) {
    await eraseMarked(service, mark.slice(samplesPrefix(jobId).length));
  }
  // What a run has written meanwhile is still there.
  await eraseObjects(objects, jobId);
  log.info('job_erased', { job_id: jobId });
}

/** On a full disk an erasure goes without its mark. */
function passOnUnlessFull(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'storage_full') throw error;
}
