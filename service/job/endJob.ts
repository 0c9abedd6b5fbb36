import { ServiceError } from '../../packages/contract/errors.ts';
import type { JobFailure } from '../../packages/contract/problems.ts';
import type { Service } from '../service.ts';
import { findJob } from '../service.ts';
import { CANCELLED } from './failures.ts';
import { isUnderWay, type Job, slotOf, sourceOf } from './job.ts';
import { eraseFiles, eraseObjects, erasingKey, sampleMarkKey, samplesPrefix } from './objectKeys.ts';

/** Ends record, compute and slot, in this order. Returns false if the attempt is over or just got its slot. */
export async function endAttempt(service: Service, job: Job, failure: JobFailure): Promise<boolean> {
  const at = service.clock.now().toISOString();
  const isQueued = job.state === 'queued';
  const ended = await service.jobs[isQueued ? 'failQueued' : 'fail'](job.id, job.attempt, failure, at);
  if (!isQueued) await service.queue.cancel(job.id, job.attempt);
  await service.jobs.freeSlot(slotOf(job.id, job.attempt));
  if (ended) service.log.info('job_failed', { job_id: job.id, attempt: job.attempt, code: failure.code });
  return ended;
}

/** Throws `invalid_job`, or `job_conflict` if the job is not under way. */
export async function cancelJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId);
  if (await cancel(service, job)) return;
  throw new ServiceError({ reason: 'job_not_running', job_id: jobId });
}

/** Retries if the job moves between queue and slot. */
async function cancel(service: Service, first: Job): Promise<boolean> {
  for (let job: Job | undefined = first; job && isUnderWay(job.state); job = await service.jobs.find(job.id)) {
    if (await endAttempt(service, job, CANCELLED)) return true;
  }
  return false;
}

/**
 * Erases a job and all samples of its model; `clearCutOff` finishes an interrupted erasure. Throws `invalid_job` (404).
 */
export async function eraseJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId);
  await eraseMarked(service, job.id);
}

/**
 * Erases files first, to make room on a full disk, and finds samples after the record: one that begins meanwhile is
 * found here or finds no source.
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
  // A run may have written meanwhile.
  await eraseObjects(objects, jobId);
  log.info('job_erased', { job_id: jobId });
}

/** A full disk must not prevent an erasure. */
function passOnUnlessFull(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'storage_full') throw error;
}
