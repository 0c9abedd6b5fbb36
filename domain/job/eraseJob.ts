import type { Service } from '../service.ts';
import { endAttempt } from './endAttempt.ts';
import { CANCELLED } from './failures.ts';
import { findJob } from './findJob.ts';
import { isActive, type Job } from './job.ts';
import { jobPrefix, sampleMarkKey, samplesPrefix } from './objectKeys.ts';
import { sourceOf } from './sampleOf.ts';

/**
 * Ends the job if it is active, then erases its objects and its record, and all samples of its model. Throws `invalid_job`
 * (404). The record goes after the objects, so that an erasure cut off in the middle can be asked for again; the objects
 * are erased once more for what a run has written in between.
 */
export async function eraseJob(service: Service, keyId: string, jobId: string): Promise<void> {
  const job = await findJob(service, keyId, jobId, 404);
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
