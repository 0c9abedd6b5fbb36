/**
 * Reconciles records and slots with compute after a lost request, event or machine. Every write is conditional, so it
 * may run at any moment, concurrently and on old news.
 */

import type { JobFailure } from '../../packages/contract/problems.ts';
import type { Service } from '../service.ts';
import { endAttempt } from './endJob.ts';
import { NO_COMPUTE, VANISHED } from './failures.ts';
import { type Attempt, isActive, isUnderWay, type Job, jobOfSlot, slotOf } from './job.ts';

export interface Compute {
  survey(): Promise<Map<string, ComputeView>>;
  look(attempt: Attempt): Promise<ComputeView>;
}

export interface ReconcileParts {
  service: Service;
  compute: Compute;
  limits: ComputeLimits;
}

export interface Reconciled {
  ended: string[];
  /** Compute without an active attempt, which was told to end. */
  strays: string[];
  freed: string[];
}

/**
 * Surveys compute before reading records: attempts are `started` before submission, so a live one that is not active is
 * over.
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

/** Ignores the content of the news, which may be old or repeated. */
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

/** A running process gets time to exit by itself. */
async function endStray({ service, limits }: ReconcileParts, slot: string, view: ComputeView): Promise<boolean> {
  const { jobId, attempt } = jobOfSlot(slot);
  const job = await service.jobs.find(jobId);
  const over = service.clock.now().getTime() - Date.parse(job?.endedAt ?? '');
  if (view.phase === 'running' && over <= limits.submitGraceMs) return false;
  service.log.info('stray_compute_ended', { job_id: jobId, attempt });
  await service.queue.cancel(jobId, attempt);
  return true;
}

export type ComputeView =
  | { phase: 'absent' }
  /** Submission, or end of the run before (ms). */
  | { phase: 'waiting'; since: number }
  | { phase: 'running' }
  /** Final; `failure` is for a record that is still active. */
  | { phase: 'ended'; failure: JobFailure };

export interface ComputeLimits {
  /** How long compute may not know a started attempt; covers a request and a slow listing. */
  submitGraceMs: number;
  /** Maximum wait for a machine. */
  startLimitMs: number;
}

export const DEFAULT_LIMITS: ComputeLimits = { submitGraceMs: 90_000, startLimitMs: 3_600_000 };

/** Returns the failure to record, or undefined to leave the job alone. */
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

/** A taken slot without a started attempt belongs to a dead request after this time. */
export const PENDING_MS = 5000;

/** First sightings (ms). */
type PendingSlots = Map<string, number>;

/**
 * Frees slots of inactive attempts. Safe at any moment: no attempt starts without its slot, and no active one loses it.
 * Keep `pending` between calls.
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
