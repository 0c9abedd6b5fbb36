/** What the service needs from the world. Adapters implement these; only entry files construct adapters. */
import type { JobEvent } from '../packages/contract/events.ts';
import type { Encoding } from '../packages/contract/files.ts';
import type { JobMetrics } from '../packages/contract/metrics.ts';
import type { JobFailure } from '../packages/contract/problems.ts';
import type { JobReceipt } from '../packages/contract/receipt.ts';
import type { JobRequest } from '../packages/contract/requests.ts';
import type { EncodedProfile } from '../packages/tables/profile/profile.ts';
import type { Callback } from './callback/callbackUrl.ts';
import type { Attempt, Job, JobEstimate, NewJob } from './job/job.ts';
import type { Ledger, NewCharge } from './privacy/charges.ts';

export interface Clock {
  now(): Date;
}

/** When the clock was last looked at, and from when on it is trusted (ms since 1970). */
export interface ClockMark {
  seenAt: number;
  trustedFrom: number;
}

/** The last mark, kept with the records. */
export interface ClockMarks {
  last(): Promise<ClockMark | undefined>;
  mark(mark: ClockMark): Promise<void>;
}

/** A position in a list of jobs: the job that stands there. */
export type JobMark = Pick<Job, 'createdAt' | 'id'>;

/** An attempt that waits for a slot. */
export interface QueuedJob extends Attempt {
  keyId: string;
  queuedAt: string;
  estimate: JobEstimate;
}

export interface JobLine {
  /** Those that wait, in no order. */
  jobs: QueuedJob[];
  /** By key, when a job of it last left the line for a slot. */
  served: ReadonlyMap<string, string>;
}

/** What is written with a start besides what was asked. */
export interface StartParts {
  settlement?: Settlement | undefined;
  estimate?: JobEstimate | undefined;
  /** What a private attempt costs. */
  charge?: NewCharge | undefined;
}

/** Job records and the slot set. Every change is one conditional write, named after its condition. */
export interface JobStore {
  /**
   * Condition: no job of this id. With a settlement, the request's answer is kept in the same transaction; throws
   * `request_in_progress` where its claim has lapsed, and makes no job.
   */
  create(job: NewJob, settlement?: Settlement): Promise<void>;
  find(jobId: string): Promise<Job | undefined>;
  /** active: jobs started or running; total: jobs known. */
  counts(): Promise<{ active: number; total: number }>;

  /** Condition: the slot set has fewer than `limit` members and not this one. 'held' is said before 'full'. */
  takeSlot(slot: string, limit: number): Promise<'taken' | 'held' | 'full'>;
  /** Condition: its attempt is not started or running. Idempotent; does nothing where the condition does not hold. */
  freeSlot(slot: string): Promise<void>;
  slots(): Promise<string[]>;

  /**
   * uploaded | failed → started, emptying progress, metrics and error. Condition: the state, that the record's attempt
   * is `attempt - 1`, and that the attempt holds its slot (`slotOf`): no job is active without one. With a settlement, the
   * request's answer is kept in the same transaction, under the condition that its claim holds; with a charge, that is
   * written to its ledger, under the condition that the ledger is as it was read. False where a condition does not hold.
   */
  start(jobId: string, attempt: number, request: JobRequest, at: string, parts?: StartParts): Promise<boolean>;
  /**
   * uploaded | failed → queued, as `start` writes it. Conditions: those of `start` but for the slot, and that fewer than
   * `limit` jobs wait.
   */
  enqueue(
    job: QueuedJob,
    request: JobRequest,
    limit: number,
    parts?: Pick<StartParts, 'settlement' | 'charge'>,
  ): Promise<'queued' | 'full' | 'changed'>;
  /** queued → started, and notes that its key was served. Condition: state, attempt, and the slot. */
  startQueued(job: QueuedJob, request: JobRequest, at: string): Promise<boolean>;
  /** started → queued, for an attempt that found no compute. Condition: state and attempt. */
  requeue(job: QueuedJob): Promise<boolean>;
  /** queued → failed. Condition: state and attempt. A charge is taken back in the same transaction. */
  failQueued(jobId: string, attempt: number, failure: JobFailure, at: string): Promise<boolean>;
  line(): Promise<JobLine>;
  /** started → running, from which on the attempt stays charged. Condition: state and attempt. */
  run(jobId: string, attempt: number): Promise<boolean>;
  /**
   * Appends what the attempt has done. Condition: started or running at this attempt. The runner stops where it is false. A
   * store whose records are limited in size may cut names in very long events, and leave out events in the middle of very
   * many, with an event that says how many.
   */
  addEvents(jobId: string, attempt: number, events: readonly JobEvent[]): Promise<boolean>;
  /** running → done, with what the receipt must be. Condition: state and attempt. */
  finish(jobId: string, attempt: number, metrics: JobMetrics, receipt: JobReceipt, at: string): Promise<boolean>;
  /** Notes when the rows were released. Condition: done at this attempt, and not released before. */
  release(jobId: string, attempt: number, at: string): Promise<boolean>;
  /** started | running → failed. Condition: state and attempt. The charge of an attempt that never ran is taken back with it. */
  fail(jobId: string, attempt: number, failure: JobFailure, at: string): Promise<boolean>;
  /** Removes the record, from the line too, and the charge of an attempt that never ran. Idempotent. */
  erase(jobId: string): Promise<void>;
  /** What private tables of one table have cost. Throws `ledger_damaged` where it cannot be read. */
  ledger(ledger: string): Promise<Ledger>;

  /**
   * Jobs of a key, the newest first, at most `limit`: those made before the mark, or from the newest on. A store may show a
   * new job some moments late.
   */
  madeBy(keyId: string, limit: number, before: JobMark | null): Promise<Job[]>;
  /** What the store keeps for a key: jobs, and bytes of the files that were uploaded for them. May be some moments old. */
  usageOf(keyId: string): Promise<{ jobs: number; bytes: number }>;
  /** Jobs started or running, oldest first. */
  active(): Promise<Job[]>;
  /** Jobs neither queued nor active whose last event (upload or end) was before the given time, oldest first. */
  endedBefore(at: string): Promise<Job[]>;
}

/** Whole objects by key. A reader sees an object as it was put, or not at all. */
export interface ObjectStore {
  /** Resolves when the object is durable. Where `body` throws, nothing is kept and the error is passed on. */
  put(key: string, body: AsyncIterable<Uint8Array> | Uint8Array): Promise<{ bytes: number }>;
  get(key: string): Promise<{ bytes: number; body: AsyncIterable<Uint8Array> } | undefined>;
  /** Keys under a prefix, in order. */
  list(prefix: string): Promise<string[]>;
  /** Keys under a prefix, with the time (ms since 1970) when each object was put. */
  times(prefix: string): Promise<Map<string, number>>;
  /** Idempotent; takes a key or a prefix ending in '/'. */
  erase(keyOrPrefix: string): Promise<void>;
  /** An address from which anyone who has it can read the object for some minutes. Absent where there is no such thing. */
  link?(key: string, download: { fileName: string; contentType: string }): Promise<string>;
}

/** Answers of requests that may come twice, by name (at the end of this file). Times are in milliseconds since 1970; every change is one conditional write. */
export interface IdempotencyStore {
  /**
   * Condition: nothing of this name is claimed or kept at `now`, or it is claimed by this very token (which renews it).
   * What is in the way is said.
   */
  claim(name: string, token: string, now: number, until: number): Promise<Claim>;
  /** Condition: claimed by this token. False where the claim has lapsed and was taken by another. */
  settle(name: string, token: string, kept: KeptAnswer, until: number): Promise<boolean>;
  /** Condition: claimed or settled by this token. Idempotent. */
  drop(name: string, token: string): Promise<void>;
  /** Forgets what was over by `now`, where the storage does not do so by itself. */
  expire(now: number): Promise<void>;
}

/** The outbox of callbacks (`service/callback`), one a job. Every change is one conditional write. */
export interface CallbackStore {
  /** Notes whom to call at the end of an attempt, in place of what was noted for an earlier one. */
  enqueue(callback: Pick<Callback, 'jobId' | 'attempt' | 'keyId' | 'url'>, at: string): Promise<void>;
  find(jobId: string): Promise<Callback | undefined>;
  /** Those that wait and were due before the given time, the longest first. A store may show one some moments late. */
  due(at: string, limit: number): Promise<Callback[]>;
  /** Takes and counts the next try; nobody makes another before `until`. Condition: waiting, at this attempt and try. */
  take(callback: Callback, until: string): Promise<boolean>;
  /** Notes what a try met. Condition: waiting, at this attempt and try. */
  note(callback: Callback, outcome: Pick<Callback, 'state' | 'dueAt' | 'lastAnswer'>): Promise<boolean>;
  /** Idempotent; where an attempt is given, only the call of that one. */
  erase(jobId: string, attempt?: number): Promise<void>;
  /** 32 random bytes by which the calls for a key are signed, made when they are first asked for. */
  secretOf(keyId: string): Promise<Uint8Array>;
}

/** `status` is null where no answer came; `said` is for people, and names no address. */
export interface CallbackAnswer {
  status: number | null;
  said: string;
}

/** Sends one POST, if the address may be called. Never rejects. */
export interface CallbackSender {
  send(url: string, headers: Record<string, string>, body: string, timeoutMs: number): Promise<CallbackAnswer>;
}

/** Where started jobs get their compute. */
export interface JobQueue {
  /** Hands over an attempt that is `started`. Throws where it was certainly not accepted. */
  submit(jobId: string, attempt: number): Promise<void>;
  /** Ends the attempt's compute, if it has any here. Idempotent. */
  cancel(jobId: string, attempt: number): Promise<void>;
}

/** What there is left of the machine that jobs run on. */
export interface Capacity {
  /** Throws `capacity_exceeded` where an attempt would take more memory than there is. Holds it for the attempt, else. */
  admit(attempt: Attempt, memoryMb: number): Promise<void>;
  /** For an attempt that was admitted and has no process. */
  release(attempt: Attempt): void;
  /** MB that a further attempt may take now, and that one may take at most. */
  room(): Promise<{ nowMb: number; everMb: number }>;
}

/** What a key may do beside using its own jobs. `release`: give out rows that a release policy withholds, of any key's job. */
export const KEY_RIGHTS = ['release'] as const;
export type KeyRight = (typeof KEY_RIGHTS)[number];

export interface KeyRecord {
  id: string;
  name: string;
  createdAt: string;
  revokedAt: string | null;
  rights: readonly KeyRight[];
}

/** The service's signature, by which whoever has its public key knows what it has made. */
export interface Signer {
  /** Ed25519 (RFC 8032), over the bytes themselves. */
  sign(bytes: Uint8Array): Promise<{ signature: Uint8Array; publicKey: Uint8Array }>;
  /** The public key's 32 bytes. */
  publicKey(): Promise<Uint8Array>;
  /** The same for those who may not sign: null where no key was needed yet. */
  publishedKey(): Promise<Uint8Array | null>;
}

/** Clients' keys, kept as hashes only. */
export interface KeyStore {
  /** The key itself is returned here and never again. */
  create(name: string, rights: readonly KeyRight[]): Promise<{ key: string; record: KeyRecord }>;
  /** The same, with all rights, where there is no key yet, revoked ones included; undefined where there is one. Of many at once, one makes it. */
  createFirst(name: string): Promise<{ key: string; record: KeyRecord } | undefined>;
  /** The record of a valid key that is not revoked; compares in constant time. */
  verify(key: string): Promise<KeyRecord | undefined>;
  list(): Promise<KeyRecord[]>;
  /** False where there is no such key or it is revoked already. */
  revoke(keyId: string): Promise<boolean>;
}

/** Reads an upload once, off the event loop: bytes in, profile out. Rejects with the upload errors of `packages/contract/errors.ts`. */
export interface UploadReader {
  /** Uploads of several keys are read in turns. `encoding`: of text without a byte order mark; UTF-8 where left out. */
  profile(
    bytes: AsyncIterable<Uint8Array>,
    fileName: string,
    keyId: string,
    encoding?: Encoding,
  ): Promise<EncodedProfile>;
}

export interface Gpu {
  available: boolean;
  name: string | null;
}

/** One structured line: never a cell's value, never a key. */
export interface Log {
  info(event: string, fields?: Record<string, string | number | boolean | null>): void;
  error(event: string, fields?: Record<string, string | number | boolean | null>): void;
}

// Requests that a client may send twice: it names each by an Idempotency-Key, and the answer to the first is kept under
// that name, so that the same request sent again is answered and not done again.
//
//   claim ──▶ claimed ──▶ the work ──▶ done: settle (kept for KEPT_MS)
//     │                 │        └──▶ refused or failed: drop, as nothing was made
//     │                 └──▶ a record was written: settled with it
//     ├──▶ pending: another request of this name is at work
//     └──▶ settled: what the first was answered with
//
// A claim lapses where whoever made it no longer renews it.

export const KEPT_MS = 86_400_000;

/** How long a claim holds, and how often who works on it renews it. */
export const CLAIM_MS = 30_000;
export const RENEW_CLAIM_MS = 10_000;

/** What a client may name a request: visible characters of ASCII. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;

/** What the first request was (a digest of its route and body), and what its answer is made from again. */
export interface KeptAnswer {
  digest: string;
  /** JSON text of at most `MAX_ANSWER_CHARACTERS`. */
  answer: string;
}

/** The answer of a request that is kept in the transaction that does its work: killed in between, it is not done twice. */
export interface Settlement extends KeptAnswer {
  name: string;
  token: string;
  until: number;
}

/** Gives the settlement of a request whose work is a job of that id; undefined where the request has no name. */
export type Settle = (jobId: string) => Promise<Settlement | undefined>;

export const MAX_ANSWER_CHARACTERS = 16_384;

export type Claim = { kind: 'claimed' } | { kind: 'pending' } | ({ kind: 'settled' } & KeptAnswer);
