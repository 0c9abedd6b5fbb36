/** Records, slots and compute, brought to agree. */

import type { JobFailure } from '../../packages/contract/problems.ts';
import type { Service } from '../service.ts';
import { endAttempt } from './endJob.ts';
import { NO_COMPUTE, VANISHED } from './failures.ts';
import { type Attempt, isActive, isUnderWay, type Job, jobOfSlot, slotOf } from './job.ts';

// Brings records and slots to agree with the compute that there is: the last word where a request, an event or a
// machine was lost. Every write is conditional, so that it may run at any moment, twice at once, and on news that is
// old.

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
  /** Compute without an active attempt, which was asked to end. */
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
  if (!after || after.attempt > attempt.attempt || (after.attempt === attempt.attempt && !isUnderWay(after.state))) {
    await jobs.freeSlot(slotOf(attempt.jobId, attempt.attempt));
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

// What is to be done with an active attempt, given what its compute looks like. Pure, so that it can be tried at
// length.

/** An attempt's compute, as the service that lends it sees it. */
export type ComputeView =
  | { phase: 'absent' }
  /** Since when (ms): the submission, or the end of the run before. */
  | { phase: 'waiting'; since: number }
  | { phase: 'running' }
  /** For good: it will not be run again. `failure` is how the record has to say so, where it does not yet. */
  | { phase: 'ended'; failure: JobFailure };

export interface ComputeLimits {
  /** How long after its start an attempt may be unknown to the compute: the time of a request and of a slow list. */
  submitGraceMs: number;
  /** How long an attempt may wait for a machine. */
  startLimitMs: number;
}

export const DEFAULT_LIMITS: ComputeLimits = { submitGraceMs: 90_000, startLimitMs: 3_600_000 };

/** The failure to write into the record of an active job, or undefined where it is to be left alone. */
export function judgeAttempt(
  job: Pick<Job, 'startedAt'>,
  view: ComputeView,
  now: number,
  limits: ComputeLimits,
): JobFailure | undefined {
  if (view.phase === 'running') return undefined;
  if (view.phase === 'ended') return view.failure;
  if (view.phase === 'waiting') return now - view.since > limits.startLimitMs ? NO_COMPUTE : undefined;
  const startedMs = Date.parse(job.startedAt ?? '');
  return now - startedMs <= limits.submitGraceMs ? undefined : VANISHED;
}

/** A slot that is taken and whose attempt has not started for so long belongs to a request that has died. */
export const PENDING_MS = 5000;

/** Slots seen before their attempt had started, with the time (ms) when they were first seen so. */
type PendingSlots = Map<string, number>;

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
    await service.jobs.freeSlot(slot);
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
  if (job.attempt === attempt && job.state !== 'queued') return !isActive(job.state);
  return waitedMs >= PENDING_MS;
}
