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

/** Ports of the service. Adapters implement them; only entry files construct adapters. */
export interface Clock {
  now(): Date;
}

/** Last reading, and since when the clock is trusted (ms since 1970). */
export interface ClockMark {
  seenAt: number;
  trustedFrom: number;
}

export interface ClockMarks {
  last(): Promise<ClockMark | undefined>;
  mark(mark: ClockMark): Promise<void>;
}

export type JobMark = Pick<Job, 'createdAt' | 'id'>;

export interface QueuedJob extends Attempt {
  keyId: string;
  queuedAt: string;
  estimate: JobEstimate;
}

export interface JobLine {
  /** In no order. */
  jobs: QueuedJob[];
  /** When a job of each key last left the queue for a slot. */
  served: ReadonlyMap<string, string>;
}

export interface StartParts {
  settlement?: Settlement | undefined;
  estimate?: JobEstimate | undefined;
  charge?: NewCharge | undefined;
}

/**
 * Job records and slots. Every change is one conditional write; changes of an attempt require its number and the state
 * named, and otherwise return false.
 */
export interface JobStore {
  /**
   * Condition: new id. Stores a settlement in the same transaction; throws `request_in_progress` if its claim has
   * lapsed.
   */
  create(job: NewJob, settlement?: Settlement): Promise<void>;
  find(jobId: string): Promise<Job | undefined>;
  counts(): Promise<{ active: number; total: number }>;

  /** Condition: fewer than `limit` slots, and not this one. Reports 'held' before 'full'. */
  takeSlot(slot: string, limit: number): Promise<'taken' | 'held' | 'full'>;
  /** Condition: the attempt is not active. Idempotent. */
  freeSlot(slot: string): Promise<void>;
  slots(): Promise<string[]>;

  /**
   * uploaded | failed → started. Conditions: record at `attempt - 1`, and the attempt holds its slot, as every active
   * job must. The transaction includes the settlement, if its claim holds, and the charge, if its ledger is unchanged.
   */
  start(jobId: string, attempt: number, request: JobRequest, at: string, parts?: StartParts): Promise<boolean>;
  /** uploaded | failed → queued. Conditions of `start` except the slot, and fewer than `limit` waiting jobs. */
  enqueue(
    job: QueuedJob,
    request: JobRequest,
    limit: number,
    parts?: Pick<StartParts, 'settlement' | 'charge'>,
  ): Promise<'queued' | 'full' | 'changed'>;
  /** queued → started; marks the key as served. Also requires the slot. */
  startQueued(job: QueuedJob, request: JobRequest, at: string): Promise<boolean>;
  /** started → queued, if no compute was found. */
  requeue(job: QueuedJob): Promise<boolean>;
  /** queued → failed, taking back the charge. */
  failQueued(jobId: string, attempt: number, failure: JobFailure, at: string): Promise<boolean>;
  line(): Promise<JobLine>;
  /** started → running; the charge is final. */
  run(jobId: string, attempt: number): Promise<boolean>;
  /**
   * Requires a started or running attempt; the runner stops on false. Stores may shorten names and replace middle
   * events by a count.
   */
  addEvents(jobId: string, attempt: number, events: readonly JobEvent[]): Promise<boolean>;
  /** running → done. */
  finish(jobId: string, attempt: number, metrics: JobMetrics, receipt: JobReceipt, at: string): Promise<boolean>;
  /** Condition: done at this attempt and not released before. */
  release(jobId: string, attempt: number, at: string): Promise<boolean>;
  /** started | running → failed, taking back the charge of an attempt that never ran. */
  fail(jobId: string, attempt: number, failure: JobFailure, at: string): Promise<boolean>;
  /** Takes back the charge of an attempt that never ran. Idempotent. */
  erase(jobId: string): Promise<void>;
  /** Throws `ledger_damaged` if unreadable. */
  ledger(ledger: string): Promise<Ledger>;

  /** Newest first, from before the mark. New jobs may appear late. */
  madeBy(keyId: string, limit: number, before: JobMark | null): Promise<Job[]>;
  /** May be slightly old. */
  usageOf(keyId: string): Promise<{ jobs: number; bytes: number }>;
  /** Oldest first. */
  active(): Promise<Job[]>;
  /** Jobs not under way that ended (or were uploaded) before the time, oldest first. */
  endedBefore(at: string): Promise<Job[]>;
}

/** Readers never see a partly written object. */
export interface ObjectStore {
  /** Resolves once durable. If `body` throws, keeps nothing and rethrows. */
  put(key: string, body: AsyncIterable<Uint8Array> | Uint8Array): Promise<{ bytes: number }>;
  get(key: string): Promise<{ bytes: number; body: AsyncIterable<Uint8Array> } | undefined>;
  list(prefix: string): Promise<string[]>;
  /** Returns when each object was put (ms since 1970). */
  times(prefix: string): Promise<Map<string, number>>;
  /** Takes a key, or a prefix that ends in '/'. Idempotent. */
  erase(keyOrPrefix: string): Promise<void>;
  /** Returns a public address, valid for some minutes. Absent if the store has none. */
  link?(key: string, download: { fileName: string; contentType: string }): Promise<string>;
}

/** Answers of repeatable requests; times in ms since 1970. Every change is one conditional write. */
export interface IdempotencyStore {
  /** Condition: free at `now`, or claimed by this token, which renews the claim. Otherwise returns what exists. */
  claim(name: string, token: string, now: number, until: number): Promise<Claim>;
  /** Condition: claimed by this token, and not taken over after a lapse. */
  settle(name: string, token: string, kept: KeptAnswer, until: number): Promise<boolean>;
  /** Condition: claimed or settled by this token. Idempotent. */
  drop(name: string, token: string): Promise<void>;
  expire(now: number): Promise<void>;
}

/** Outbox, one callback per job. Every change is one conditional write. */
export interface CallbackStore {
  /** Replaces the call of an earlier attempt. */
  enqueue(callback: Pick<Callback, 'jobId' | 'attempt' | 'keyId' | 'url'>, at: string): Promise<void>;
  find(jobId: string): Promise<Callback | undefined>;
  /** Waiting calls, longest first; may appear late. */
  due(at: string, limit: number): Promise<Callback[]>;
  /** Counts a try and excludes others until `until`. Condition: waiting, at this attempt and try. */
  take(callback: Callback, until: string): Promise<boolean>;
  /** Condition: waiting, at this attempt and try. */
  note(callback: Callback, outcome: Pick<Callback, 'state' | 'dueAt' | 'lastAnswer'>): Promise<boolean>;
  /** Without an attempt, erases the call of any. Idempotent. */
  erase(jobId: string, attempt?: number): Promise<void>;
  /** 32 random bytes, made on first use. */
  secretOf(keyId: string): Promise<Uint8Array>;
}

/** `status` is null without an answer; `said` is for people, without addresses. */
export interface CallbackAnswer {
  status: number | null;
  said: string;
}

/** Never rejects; refuses addresses that are not allowed. */
export interface CallbackSender {
  send(url: string, headers: Record<string, string>, body: string, timeoutMs: number): Promise<CallbackAnswer>;
}

/** Compute for started jobs. */
export interface JobQueue {
  /** Throws only if the attempt was certainly not accepted. */
  submit(jobId: string, attempt: number): Promise<void>;
  /** Idempotent. */
  cancel(jobId: string, attempt: number): Promise<void>;
}

/** Memory left on the machine that runs jobs. */
export interface Capacity {
  /** Reserves memory. Throws `capacity_exceeded`. */
  admit(attempt: Attempt, memoryMb: number): Promise<void>;
  /** For an admitted attempt without a process. */
  release(attempt: Attempt): void;
  /** Memory for one more attempt now, and at most (MB). */
  room(): Promise<{ nowMb: number; everMb: number }>;
}

/** `release`: release withheld rows of any key's job. */
export const KEY_RIGHTS = ['release'] as const;
export type KeyRight = (typeof KEY_RIGHTS)[number];

export interface KeyRecord {
  id: string;
  name: string;
  createdAt: string;
  revokedAt: string | null;
  /** Null for keys of version 0.1. */
  rights: readonly KeyRight[];
}

/** Signs what the service has made. */
export interface Signer {
  /** Ed25519 (RFC 8032) over the bytes. */
  sign(bytes: Uint8Array): Promise<{ signature: Uint8Array; publicKey: Uint8Array }>;
  /** 32 bytes. */
  publicKey(): Promise<Uint8Array>;
  /** Needs no right to sign; null if no key exists yet. */
  publishedKey(): Promise<Uint8Array | null>;
}

/** Stores clients' keys as hashes only. */
export interface KeyStore {
  /** Returns the key itself this once. */
  create(name: string, rights: readonly KeyRight[]): Promise<{ key: string; record: KeyRecord }>;
  /** Undefined if any key ever existed. Concurrent calls make only one. */
  createFirst(name: string): Promise<{ key: string; record: KeyRecord } | undefined>;
  /** Compares in constant time. */
  verify(key: string): Promise<KeyRecord | undefined>;
  list(): Promise<KeyRecord[]>;
  /** Returns false if the key is unknown or already revoked. */
  revoke(keyId: string): Promise<boolean>;
}

/** Works off the event loop. Rejects with upload errors (`packages/contract/errors.ts`). */
export interface UploadReader {
  /** Keys take turns. `encoding` is for text without a byte order mark. */
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

/** Never log cell values or keys. */
export interface Log {
  info(event: string, fields?: Record<string, string | number | boolean | null>): void;
  error(event: string, fields?: Record<string, string | number | boolean | null>): void;
}

// Requests with an Idempotency-Key:
//
//   claim ──▶ claimed ──▶ the work ──▶ done: settle
//     │                 │        └──▶ refused or failed: drop
//     │                 └──▶ a record was written: settled with it
//     ├──▶ pending: another request of this name is at work
//     └──▶ settled: the first answer
//
// A claim lapses unless it is renewed.

export const KEPT_MS = 86_400_000;

export const CLAIM_MS = 30_000;
export const RENEW_CLAIM_MS = 10_000;

/** Visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;

export interface KeptAnswer {
  digest: string;
  /** JSON of at most `MAX_ANSWER_CHARACTERS`. */
  answer: string;
}

/** Stored in the work's transaction, so that a crash cannot repeat the work. */
export interface Settlement extends KeptAnswer {
  name: string;
  token: string;
  until: number;
}

/** Returns the settlement for a job; undefined if the request has no name. */
export type Settle = (jobId: string) => Promise<Settlement | undefined>;

export const MAX_ANSWER_CHARACTERS = 16_384;

export type Claim = { kind: 'claimed' } | { kind: 'pending' } | ({ kind: 'settled' } & KeptAnswer);
