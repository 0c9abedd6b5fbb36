/** Delivers at least once, with a bounded number of tries. */
import { describeFault } from '../job/failures.ts';
import { isUnderWay, type Job } from '../job/job.ts';
import { releaseStateOf } from '../job/release.ts';
import type { CallbackAnswer, CallbackSender } from '../ports.ts';
import { toBase64 } from '../receipt.ts';
import type { Service } from '../service.ts';
import { type Callback, TAKEN_MS, TRY_MS, WAITS_SECONDS } from './callbackUrl.ts';

interface DeliveryParts {
  service: Pick<Service, 'jobs' | 'callbacks' | 'clock' | 'log'>;
  sender: CallbackSender;
}

/** Exceeds the number of active jobs, whose callbacks are skipped. */
const MAX_DUE = 2000;
const AT_ONCE = 8;

/** A callback this old (ms) without an attempt belongs to a dead request. */
const NEVER_BEGAN_MS = 600_000;

/** Makes all due tries; starts none after `budgetMs`. */
export async function deliverCallbacks(parts: DeliveryParts, budgetMs: number): Promise<void> {
  const { callbacks, clock } = parts.service;
  const start = clock.now().getTime();
  const due = await callbacks.due(new Date(start).toISOString(), MAX_DUE);
  const next = due.values();
  const work = async () => {
    for (const callback of next) {
      if (clock.now().getTime() - start > budgetMs) return;
      await deliver(parts, callback);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, due.length) }, work));
}

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
    if (!job || job.attempt !== callback.attempt || isUnderWay(job.state)) return;
    if (!(await callbacks.take(callback, new Date(now + TAKEN_MS).toISOString()))) return;
    await tryOnce(parts, { ...callback, tries: callback.tries + 1 }, job);
  } catch (error) {
    log.error('callback_not_made', { job_id: callback.jobId, ...describeFault(error) });
  }
}

function isVoid(job: Job | undefined, { attempt, dueAt }: Callback, now: number): boolean {
  if (!job || job.attempt > attempt) return true;
  return job.attempt < attempt && now - Date.parse(dueAt) > NEVER_BEGAN_MS;
}

async function tryOnce(parts: DeliveryParts, callback: Callback, job: Job): Promise<void> {
  const { callbacks, clock, log } = parts.service;
  const body = JSON.stringify(messageOf(job));
  const secret = await callbacks.secretOf(callback.keyId);
  const headers = await signCallback(secret, `${job.id}-${job.attempt}`, clock.now(), body);
  const answer = await parts.sender.send(
    callback.url,
    { ...headers, 'content-type': 'application/json' },
    body,
    TRY_MS,
  );
  const outcome = outcomeOf(answer, callback.tries, clock.now().getTime());
  await callbacks.note(callback, outcome);
  // The address may contain a receiver's secret.
  log.info('callback_tried', {
    job_id: job.id,
    tries: callback.tries,
    state: outcome.state,
    answer: outcome.lastAnswer,
  });
}

type CallbackOutcome = Pick<Callback, 'state' | 'dueAt' | 'lastAnswer'>;

/** 410 means that the receiver is gone for good. */
function outcomeOf(answer: CallbackAnswer, tries: number, now: number): CallbackOutcome {
  const wait = WAITS_SECONDS[tries - 1];
  const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300;
  const state = isTaken ? 'delivered' : wait === undefined || answer.status === 410 ? 'failed' : 'waiting';
  return { state, dueAt: new Date(now + (wait ?? 0) * 1000).toISOString(), lastAnswer: answer.said };
}

/** Contains nothing of the table; failures have only their code, since params may count rows. */
const messageOf = (job: Job) => ({
  type: job.state === 'done' ? 'job.done' : 'job.failed',
  timestamp: job.endedAt,
  data: {
    job_id: job.id,
    status: job.state,
    rows_generated: job.state === 'done' ? (job.metrics?.rows_generated ?? null) : null,
    release: releaseStateOf(job) ?? null,
    error: job.state === 'failed' && job.error ? { code: job.error.code } : null,
  },
});

export const secretText = (secret: Uint8Array): string => `whsec_${toBase64(secret)}`;

/** Signs as Standard Webhooks version 1: HMAC-SHA256 over `id.timestamp.body`, with one id for all tries. */
async function signCallback(secret: Uint8Array, id: string, at: Date, body: string): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), algorithm, false, ['sign']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
