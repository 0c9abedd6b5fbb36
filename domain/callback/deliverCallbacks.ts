/** Tells of jobs that have ended whoever asked for it: at least once, a bounded number of times. */
import { describeFault } from '../describeFault.ts';
import { isActive, type Job } from '../job/job.ts';
import { releaseStateOf } from '../job/release.ts';
import type { CallbackAnswer, CallbackSender } from '../ports.ts';
import type { Service } from '../service.ts';
import { type Callback, TAKEN_MS, TRY_MS, WAITS_SECONDS } from './callback.ts';
import { signCallback } from './signCallback.ts';

export interface DeliveryParts {
  service: Pick<Service, 'jobs' | 'callbacks' | 'clock' | 'log'>;
  sender: CallbackSender;
}

/** Calls looked at in one round: more than jobs that may be active, whose calls are passed over. */
const MOST_DUE = 2000;
const AT_ONCE = 8;

/** A call that was noted so long ago for an attempt that never began belongs to a request that has died. */
const NEVER_BEGAN_MS = 600_000;

/** Makes the tries that are due; takes up none after `budgetMs`, so that it ends some `TRY_MS` later at the latest. */
export async function deliverCallbacks(parts: DeliveryParts, budgetMs: number): Promise<void> {
  const { callbacks, clock } = parts.service;
  const start = clock.now().getTime();
  const due = await callbacks.due(new Date(start).toISOString(), MOST_DUE);
  const next = due.values();
  const work = async () => {
    for (const callback of next) {
      if (clock.now().getTime() - start > budgetMs) return;
      await deliver(parts, callback);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, due.length) }, work));
}

/** The call of one job, where it is due: on news of the job. */
export async function deliverCallback(parts: DeliveryParts, jobId: string): Promise<void> {
  const { callbacks, clock } = parts.service;
  const callback = await callbacks.find(jobId);
  if (callback?.state === 'waiting' && callback.dueAt < clock.now().toISOString()) await deliver(parts, callback);
}

async function deliver(parts: DeliveryParts, callback: Callback): Promise<void> {
  const { jobs, callbacks, clock, log } = parts.service;
  try {
    const job = await jobs.find(callback.jobId);
    const now = clock.now().getTime();
    if (isVoid(job, callback, now)) return await callbacks.erase(callback.jobId, callback.attempt);
    if (!job || job.attempt !== callback.attempt || isActive(job.state)) return;
    if (!(await callbacks.take(callback, new Date(now + TAKEN_MS).toISOString()))) return;
    await tryOnce(parts, { ...callback, tries: callback.tries + 1 }, job);
  } catch (error) {
    log.error('callback_not_made', { job_id: callback.jobId, ...describeFault(error) });
  }
}

/** Nobody waits for it: the job was erased, started once more, or never begun. */
function isVoid(job: Job | undefined, { attempt, dueAt }: Callback, now: number): boolean {
  if (!job || job.attempt > attempt) return true;
  return job.attempt < attempt && now - Date.parse(dueAt) > NEVER_BEGAN_MS;
}

async function tryOnce({ service, sender }: DeliveryParts, callback: Callback, job: Job): Promise<void> {
  const { callbacks, clock, log } = service;
  const body = JSON.stringify(messageOf(job));
  const secret = await callbacks.secretOf(callback.keyId);
  const headers = await signCallback(secret, `${job.id}-${job.attempt}`, clock.now(), body);
  const answer = await sender.send(callback.url, { ...headers, 'content-type': 'application/json' }, body, TRY_MS);
  const outcome = outcomeOf(answer, callback.tries, clock.now().getTime());
  await callbacks.note(callback, outcome);
  // Not the address: it may hold a secret of the receiver's.
  log.info('callback_tried', {
    job_id: job.id,
    tries: callback.tries,
    state: outcome.state,
    answer: outcome.lastAnswer,
  });
}

export type CallbackOutcome = Pick<Callback, 'state' | 'dueAt' | 'lastAnswer'>;

/** 410 says that nobody will ever listen there. */
function outcomeOf(answer: CallbackAnswer, tries: number, now: number): CallbackOutcome {
  const wait = WAITS_SECONDS[tries - 1];
  const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300;
  const state = isTaken ? 'delivered' : wait === undefined || answer.status === 410 ? 'failed' : 'waiting';
  return { state, dueAt: new Date(now + (wait ?? 0) * 1000).toISOString(), lastAnswer: answer.said };
}

/** What is told: that the job has ended and how, nothing of its table. */
export const messageOf = (job: Job) => ({
  type: job.state === 'done' ? 'job.done' : 'job.failed',
  timestamp: job.endedAt,
  data: {
    job_id: job.id,
    status: job.state,
    rows_generated: job.state === 'done' ? (job.metrics?.rows_generated ?? null) : null,
    release: releaseStateOf(job) ?? null,
    error: job.state === 'failed' ? job.error : null,
  },
});
