import type { Service } from '../service.ts';
import type { Job } from './job.ts';
import { JOBS_PREFIX, jobOfKey, jobPrefix, profileKey, uploadKey } from './objectKeys.ts';

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
  const keys = [uploadKey(job.id), profileKey(job.id)];
  const there = await objects.list(jobPrefix(job.id));
  const due = keys.filter((key) => there.includes(key));
  for (const key of due) await objects.erase(key);
  if (due.length > 0) log.info('upload_expired', { job_id: job.id });
}

async function expireResults({ objects, log }: Stores, job: Job): Promise<void> {
  const kept = [uploadKey(job.id), profileKey(job.id)];
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
