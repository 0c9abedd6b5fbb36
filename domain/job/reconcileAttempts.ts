/**
 * Brings records and slots to agree with the compute that there is: the last word where a request, an event or a machine
 * was lost. Every write is conditional, so that it may run at any moment, twice at once, and on news that is old.
 */
import type { Service } from '../service.ts';
import { endAttempt } from './endAttempt.ts';
import { type Attempt, isActive, type Job, jobOfSlot, slotOf } from './job.ts';
import { type ComputeLimits, type ComputeView, judgeAttempt } from './judgeAttempt.ts';
import { type PendingSlots, reconcileSlots } from './reconcileSlots.ts';

/** What lends compute, asked how attempts fare. */
export interface Compute {
  /** Attempts that wait for compute or have it, by slot name. */
  survey(): Promise<Map<string, ComputeView>>;
  /** One attempt, whether it is alive or not. */
  look(attempt: Attempt): Promise<ComputeView>;
}

export interface ReconcileParts {
  service: Service;
  compute: Compute;
  limits: ComputeLimits;
}

export interface Reconciled {
  /** Attempts that were failed. */
  ended: string[];
  /** Compute without an active attempt, which was told to end. */
  strays: string[];
  /** Slots whose attempt was over, or never began. */
  freed: string[];
}

/**
 * All attempts. The compute is surveyed before the records are read: an attempt is `started` before it is submitted, so
 * that one which is alive and not among the active ones is over.
 */
export async function reconcileAttempts(parts: ReconcileParts, pending: PendingSlots): Promise<Reconciled> {
  const { service, compute } = parts;
  const alive = await compute.survey();
  const active = await service.jobs.active();
  const ended: string[] = [];
  for (const job of active) {
    const view =
      alive.get(slotOf(job.id, job.attempt)) ?? (await compute.look({ jobId: job.id, attempt: job.attempt }));
    if (await settle(parts, job, view)) ended.push(slotOf(job.id, job.attempt));
  }
  const kept = new Set(active.map((job) => slotOf(job.id, job.attempt)));
  const strays: string[] = [];
  for (const [slot, view] of alive) {
    if (!kept.has(slot) && (await endStray(parts, slot, view))) strays.push(slot);
  }
  return { ended, strays, freed: await reconcileSlots(service, pending) };
}

/** One attempt, on news of it. What the news says is not used: it may be old, and comes more than once. */
export async function reconcileAttempt(parts: ReconcileParts, attempt: Attempt): Promise<void> {
  const { jobs } = parts.service;
  const before = await jobs.find(attempt.jobId);
  if (isOn(before, attempt)) await settle(parts, before, await parts.compute.look(attempt));
  const after = await jobs.find(attempt.jobId);
  if (!after || after.attempt > attempt.attempt || (after.attempt === attempt.attempt && !isActive(after.state))) {
    await jobs.releaseSlot(slotOf(attempt.jobId, attempt.attempt));
  }
}

const isOn = (job: Job | undefined, { attempt }: Attempt): job is Job =>
  job?.attempt === attempt && isActive(job.state);

async function settle({ service, limits }: ReconcileParts, job: Job, view: ComputeView): Promise<boolean> {
  const failure = judgeAttempt(job, view, service.clock.now().getTime(), limits);
  return failure !== undefined && endAttempt(service, job, failure);
}

/** A process whose attempt is over ends by itself: it is given the time for that. One that waits would start for nothing. */
async function endStray({ service, limits }: ReconcileParts, slot: string, view: ComputeView): Promise<boolean> {
  const { jobId, attempt } = jobOfSlot(slot);
  const job = await service.jobs.find(jobId);
  const over = service.clock.now().getTime() - Date.parse(job?.endedAt ?? '');
  if (view.phase === 'running' && over <= limits.submitGraceMs) return false;
  service.log.info('stray_compute_ended', { job_id: jobId, attempt });
  await service.queue.cancel(jobId, attempt);
  return true;
}
