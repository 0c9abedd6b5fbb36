import type { Service } from '../service.ts';
import { type Job, jobOfSlot } from './job.ts';

/** A slot that is taken and whose attempt has not started for so long belongs to a request that has died. */
export const PENDING_MS = 5000;

/** Slots seen before their attempt had started, with the time (ms) when they were first seen so. */
export type PendingSlots = Map<string, number>;

/**
 * Frees slots whose attempt is not active any more; idempotent, and safe at any moment, since no attempt starts without
 * its slot and no active attempt loses it. `pending` is kept by the caller from one call to the next.
 */
export async function reconcileSlots(
  service: Pick<Service, 'jobs' | 'clock' | 'log'>,
  pending: PendingSlots,
): Promise<string[]> {
  const slots = await service.jobs.slots();
  const now = service.clock.now().getTime();
  for (const slot of pending.keys()) if (!slots.includes(slot)) pending.delete(slot);
  const freed: string[] = [];
  for (const slot of slots) {
    const { jobId, attempt } = jobOfSlot(slot);
    if (!isLeft(await service.jobs.find(jobId), attempt, waited(pending, slot, now))) continue;
    await service.jobs.releaseSlot(slot);
    pending.delete(slot);
    freed.push(slot);
    service.log.info('slot_freed', { job_id: jobId, attempt });
  }
  return freed;
}

/** Milliseconds since this slot was first seen by the caller. */
function waited(pending: PendingSlots, slot: string, now: number): number {
  const since = pending.get(slot) ?? now;
  pending.set(slot, since);
  return now - since;
}

function isLeft(job: Job | undefined, attempt: number, waitedMs: number): boolean {
  if (!job || job.attempt > attempt) return true;
  if (job.attempt === attempt) return job.state === 'failed' || job.state === 'done';
  return waitedMs >= PENDING_MS;
}
