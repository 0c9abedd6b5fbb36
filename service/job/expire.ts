/** What is kept no longer, erased by the clock; and how far the clock is trusted. */
import type { Service } from '../service.ts';
import type { Job } from './job.ts';
import { JOBS_PREFIX, jobOfKey, jobPrefix, uploadKeys } from './objectKeys.ts';

const HOUR_MS = 3_600_000;

type Parts = Pick<Service, 'jobs' | 'objects' | 'callbacks' | 'clock' | 'clockMarks' | 'log' | 'settings'>;

/**
 * Erases what is kept no longer: upload and profile after `uploadRetentionHours`, results after `resultRetentionHours`,
 * both counted from the job's end (or, never started, from its upload), the record after the longer of the two, and, after
 * `orphanRetentionHours`, objects that no record knows. Erases nothing while the clock is not trusted.
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

/** A clock that is so far from when it was last seen was set, or the service did not run; it is trusted when it has gone on for a while. */
export const MAX_STEP_MS = 48 * HOUR_MS;
export const SETTLE_MS = 24 * HOUR_MS;

/** Called in intervals below `MAX_STEP_MS`. A clock that is set right again within `SETTLE_MS` has erased nothing. */
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

/** They stay where they are meanwhile: a record that is restored finds its objects again. */
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
