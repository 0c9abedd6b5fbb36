import type { Service } from '../service.ts';
import type { Job } from './job.ts';
import { JOBS_PREFIX, jobOfKey, jobPrefix, uploadKeys } from './objectKeys.ts';

const HOUR_MS = 3_600_000;

type Parts = Pick<Service, 'jobs' | 'objects' | 'callbacks' | 'clock' | 'clockMarks' | 'log' | 'settings'>;

/**
 * Erases what has expired, counting from the job's end, or from its upload if never started. Erases nothing while the
 * clock is not trusted.
 */
export async function expireObjects(service: Parts): Promise<void> {
  if (!(await isClockTrusted(service))) return;
  const now = service.clock.now().getTime();
  const { uploadRetentionHours, resultRetentionHours } = service.settings;
  const before = (hours: number) => new Date(now - hours * HOUR_MS).toISOString();
  for (const job of await service.jobs.endedBefore(before(uploadRetentionHours))) await expireUpload(service, job);
  for (const job of await service.jobs.endedBefore(before(resultRetentionHours))) await expireResults(service, job);
  const longest = Math.max(uploadRetentionHours, resultRetentionHours);
  for (const job of await service.jobs.endedBefore(before(longest))) await expireRecord(service, job);
  await eraseOrphans(service, now);
}

/** A larger step is a changed clock or an outage; trust returns after `SETTLE_MS`. */
export const MAX_STEP_MS = 48 * HOUR_MS;
export const SETTLE_MS = 24 * HOUR_MS;

/** Call more often than every `MAX_STEP_MS`. */
async function isClockTrusted({ clock, clockMarks, log }: Parts): Promise<boolean> {
  const now = clock.now().getTime();
  const last = await clockMarks.last();
  const step = last === undefined ? 0 : now - last.seenAt;
  const isLarge = Math.abs(step) > MAX_STEP_MS;
  const trustedFrom = isLarge ? now + SETTLE_MS : (last?.trustedFrom ?? now);
  await clockMarks.mark({ seenAt: now, trustedFrom });
  if (isLarge)
    log.error('clock_stepped', { hours: Math.round(step / HOUR_MS), hours_until_erasure: SETTLE_MS / HOUR_MS });
  return now >= trustedFrom;
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

/** Waits, so that a restored record finds its objects. */
async function eraseOrphans({ jobs, objects, log, settings }: Parts, now: number): Promise<void> {
  const ids = new Set((await objects.list(JOBS_PREFIX)).map(jobOfKey));
  for (const id of ids) {
    if (await jobs.find(id)) continue;
    const newest = Math.max(...(await objects.times(jobPrefix(id))).values());
    if (now - newest < settings.orphanRetentionHours * HOUR_MS) continue;
    await objects.erase(jobPrefix(id));
    log.info('orphan_erased', { job_id: id });
  }
}
