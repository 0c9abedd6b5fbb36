/** The service on ports kept in memory: for tests of what stands on the ports, with faults where a test puts them. */
import { createHash, randomUUID } from 'node:crypto';
import { createSigner, keyOfSeed } from '../../adapters/shared/keys.ts';
import { encodeProfile, type Profile } from '../../packages/tables/profile/profile.ts';
import type { Callback } from '../../service/callback/callbackUrl.ts';
import { inlineWork } from '../../service/heavyWork.ts';
import { isActive, type Job } from '../../service/job/job.ts';
import type {
  CallbackStore,
  ClockMark,
  ClockMarks,
  IdempotencyStore,
  JobMark,
  JobStore,
  KeyStore,
  Log,
  ObjectStore,
  Settlement,
} from '../../service/ports.ts';
import {
  type Charge,
  EMPTY_LEDGER,
  type HeldCharge,
  type Ledger,
  type NewCharge,
} from '../../service/privacy/charges.ts';
import type { Service } from '../../service/service.ts';
import { NOT_STARTED } from './jobFixtures.ts';

export interface LogLine {
  level: 'info' | 'error';
  event: string;
  fields: Record<string, unknown>;
}

export interface MemoryService extends Service {
  records: Map<string, Job>;
  files: Map<string, Uint8Array>;
  lines: LogLine[];
}

export const KEY = 'key-of-the-first-client';
export const OTHER_KEY = 'key-of-another-client';

export function memoryService(overrides: Partial<Service> = {}, maxUploadBytes = 100_000): MemoryService {
  const records = new Map<string, Job>();
  const files = new Map<string, Uint8Array>();
  const lines: LogLine[] = [];
  const objects = memoryObjects(files);
  const idempotency = memoryIdempotency();
  return {
    records,
    files,
    lines,
    jobs: memoryJobs(records, idempotency),
    objects,
    work: inlineWork(objects),
    keys: memoryKeys(),
    idempotency,
    callbacks: memoryCallbacks(),
    signer: createSigner(async () => keyOfSeed(new Uint8Array(32).fill(7))),
    queue: { submit: async () => undefined, cancel: async () => undefined },
    reader: { profile: async () => encodeProfile(PROFILE) },
    clockMarks: memoryClockMarks(),
    clock: { now: () => new Date('2026-11-03T09:15:00Z') },
    log: memoryLog(lines),
    gpu: async () => ({ available: false, name: null }),
    newId: () => randomUUID(),
    settings: {
      version: '0.1.0',
      maxRunningJobs: 3,
      maxUploadBytes,
      uploadRetentionHours: 24,
      resultRetentionHours: 720,
      orphanRetentionHours: 336,
    },
    ...overrides,
  };
}

function memoryJobs(records: Map<string, Job>, idempotency: IdempotencyStore): JobStore {
  const settle = async (settlement?: Settlement): Promise<boolean> =>
    !settlement || idempotency.settle(settlement.name, settlement.token, settlement, settlement.until);
  const slots = new Set<string>();
  const ledgers = new Map<string, Ledger>();
  /** By job, the charge of an attempt that has not run. */
  const held = new Map<string, HeldCharge>();
  const write = (ledger: string, charges: readonly Charge[]): void =>
    void ledgers.set(ledger, { version: (ledgers.get(ledger)?.version ?? 0) + 1, charges });
  const isAsRead = (charge?: NewCharge): boolean =>
    !charge || (ledgers.get(charge.ledger)?.version ?? 0) === charge.version;
  const charged = (id: string, isBegun: boolean, charge?: NewCharge): boolean => {
    if (!isBegun || !charge) return isBegun;
    write(charge.ledger, charge.charges);
    held.set(id, charge);
    return true;
  };
  const takeBack = (id: string, isEnded: boolean): boolean => {
    const own = held.get(id);
    if (!isEnded || !own) return isEnded;
    write(
      own.ledger,
      (ledgers.get(own.ledger)?.charges ?? []).filter((charge) => charge.id !== own.id),
    );
    return held.delete(id);
  };
  const change = (id: string, attempt: number, from: (job: Job) => boolean, to: Partial<Job>): boolean => {
    const job = records.get(id);
    if (!job || job.attempt !== attempt || !from(job)) return false;
    records.set(id, { ...job, ...to });
    return true;
  };
  const active = (job: Job) => isActive(job.state);
  const queued = (job: Job) => job.state === 'queued';
  const startable = (job: Job) => job.state === 'uploaded' || job.state === 'failed';
  const served = new Map<string, string>();
  return {
    create: async (job, settlement) => {
      if (!(await settle(settlement))) throw new Error('the claim has lapsed');
      records.set(job.id, { ...NOT_STARTED, ...job });
    },
    find: async (id) => records.get(id),
    counts: async () => ({ active: [...records.values()].filter(active).length, total: records.size }),
    takeSlot: async (slot, limit) => {
      if (slots.has(slot)) return 'held';
      if (slots.size >= limit) return 'full';
      slots.add(slot);
      return 'taken';
    },
    freeSlot: async (slot) => void slots.delete(slot),
    slots: async () => [...slots],
    start: async (id, attempt, request, at, { settlement, estimate = null, charge } = {}) =>
      isAsRead(charge) &&
      (await settle(settlement)) &&
      charged(
        id,
        change(id, attempt - 1, startable, {
          ...NOT_STARTED,
          state: 'started',
          attempt,
          request,
          estimate,
          startedAt: at,
        }),
        charge,
      ),
    enqueue: async ({ jobId, attempt, queuedAt, estimate }, request, limit, { settlement, charge } = {}) => {
      if ([...records.values()].filter(queued).length >= limit) return 'full';
      const to = { ...NOT_STARTED, state: 'queued' as const, attempt, request, estimate, queuedAt };
      if (!isAsRead(charge) || !(await settle(settlement))) return 'changed';
      return charged(jobId, change(jobId, attempt - 1, startable, to), charge) ? 'queued' : 'changed';
    },
    startQueued: async ({ jobId, attempt, keyId }, request, at) => {
      if (!slots.has(`${jobId}#${attempt}`)) return false;
      if (!change(jobId, attempt, queued, { state: 'started', request, startedAt: at })) return false;
      served.set(keyId, at);
      return true;
    },
    requeue: async ({ jobId, attempt }) =>
      change(jobId, attempt, (job) => job.state === 'started', { state: 'queued', startedAt: null }),
    failQueued: async (id, attempt, error, at) =>
      takeBack(id, change(id, attempt, queued, { state: 'failed', error, endedAt: at })),
    line: async () => ({
      jobs: [...records.values()].flatMap(({ id: jobId, state, attempt, keyId, queuedAt, estimate }) =>
        state === 'queued' && queuedAt && estimate ? [{ jobId, attempt, keyId, queuedAt, estimate }] : [],
      ),
      served,
    }),
    run: async (id, attempt) => {
      if (!change(id, attempt, (job) => job.state === 'started', { state: 'running' })) return false;
      held.delete(id);
      return true;
    },
    addEvents: async (id, attempt, more) =>
      change(id, attempt, active, { progress: [...(records.get(id)?.progress ?? []), ...more] }),
    finish: async (id, attempt, metrics, receipt, at) =>
      change(id, attempt, (job) => job.state === 'running', { state: 'done', metrics, receipt, endedAt: at }),
    release: async (id, attempt, at) =>
      change(id, attempt, (job) => job.state === 'done' && job.releasedAt === null, { releasedAt: at }),
    fail: async (id, attempt, error, at) =>
      takeBack(id, change(id, attempt, active, { state: 'failed', error, endedAt: at })),
    erase: async (id) => void takeBack(id, records.delete(id)),
    ledger: async (ledger) => ledgers.get(ledger) ?? EMPTY_LEDGER,
    madeBy: async (keyId, limit, before) =>
      [...records.values()]
        .filter((job) => job.keyId === keyId && (!before || isOlder(job, before)))
        .sort((a, b) => (isOlder(a, b) ? 1 : -1))
        .slice(0, limit),
    usageOf: async (keyId) => {
      const own = [...records.values()].filter((job) => job.keyId === keyId);
      return { jobs: own.length, bytes: own.reduce((sum, { fileBytes }) => sum + fileBytes, 0) };
    },
    active: async () => [...records.values()].filter(active),
    endedBefore: async () => [],
  };
}

const isOlder = (a: JobMark, b: JobMark): boolean =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id);

function memoryObjects(files: Map<string, Uint8Array>): ObjectStore {
  return {
    async put(key, body) {
      const parts: Uint8Array[] = [];
      for await (const part of body instanceof Uint8Array ? [body] : body) parts.push(part);
      const whole = new Uint8Array(Buffer.concat(parts));
      files.set(key, whole);
      return { bytes: whole.byteLength };
    },
    async get(key) {
      const bytes = files.get(key);
      return bytes && { bytes: bytes.byteLength, body: once(bytes) };
    },
    times: async (prefix) => new Map([...files.keys()].filter((key) => key.startsWith(prefix)).map((key) => [key, 0])),
    list: async (prefix) => [...files.keys()].filter((key) => key.startsWith(prefix)).sort(),
    async erase(keyOrPrefix) {
      for (const key of [...files.keys()]) {
        if (key === keyOrPrefix || (keyOrPrefix.endsWith('/') && key.startsWith(keyOrPrefix))) files.delete(key);
      }
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function memoryKeys(): KeyStore {
  const createdAt = '2026-11-01T00:00:00.000Z';
  const records = new Map(
    [KEY, OTHER_KEY].map((key) => [
      key,
      { id: `id-of-${key}`, name: key, createdAt, revokedAt: null, rights: ['release' as const] },
    ]),
  );
  return {
    create: async () => Promise.reject(new Error('keys are fixed here')),
    createFirst: async () => undefined,
    verify: async (key) => records.get(key),
    list: async () => [...records.values()],
    revoke: async () => false,
  };
}

export function memoryClockMarks(): ClockMarks {
  let last: ClockMark | undefined;
  return {
    last: async () => last,
    mark: async (mark) => {
      last = mark;
    },
  };
}

export function memoryIdempotency(): IdempotencyStore {
  const kept = new Map<string, { token: string; digest: string; answer: string; until: number }>();
  return {
    async claim(name, token, now, until) {
      const found = kept.get(name);
      if (found && found.until > now && (found.token !== token || found.digest !== '')) {
        return found.digest !== ''
          ? { kind: 'settled', digest: found.digest, answer: found.answer }
          : { kind: 'pending' };
      }
      kept.set(name, { token, digest: '', answer: '', until });
      return { kind: 'claimed' };
    },
    async settle(name, token, answer, until) {
      const found = kept.get(name);
      if (found?.token !== token || found.digest !== '') return false;
      kept.set(name, { token, digest: answer.digest, answer: answer.answer, until });
      return true;
    },
    async drop(name, token) {
      if (kept.get(name)?.token === token) kept.delete(name);
    },
    async expire(now) {
      for (const [name, { until }] of kept) if (until <= now) kept.delete(name);
    },
  };
}

export function memoryCallbacks(): CallbackStore {
  const kept = new Map<string, Callback>();
  const change = (of: Callback, to: Partial<Callback>): boolean => {
    const found = kept.get(of.jobId);
    if (found?.state !== 'waiting' || found.attempt !== of.attempt || found.tries !== of.tries) return false;
    kept.set(of.jobId, { ...found, ...to });
    return true;
  };
  return {
    enqueue: async (callback, at) =>
      void kept.set(callback.jobId, { ...callback, state: 'waiting', tries: 0, dueAt: at, lastAnswer: null }),
    find: async (jobId) => kept.get(jobId),
    due: async (at, limit) =>
      [...kept.values()]
        .filter(({ state, dueAt }) => state === 'waiting' && dueAt < at)
        .sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1))
        .slice(0, limit),
    take: async (callback, until) => change(callback, { tries: callback.tries + 1, dueAt: until }),
    note: async (callback, outcome) => change(callback, outcome),
    async erase(jobId, attempt) {
      if (attempt === undefined || kept.get(jobId)?.attempt === attempt) kept.delete(jobId);
    },
    secretOf: async (keyId) => createHash('sha256').update(keyId).digest(),
  };
}

const memoryLog = (lines: LogLine[]): Log => ({
  info: (event, fields = {}) => void lines.push({ level: 'info', event, fields }),
  error: (event, fields = {}) => void lines.push({ level: 'error', event, fields }),
});

const COLUMN = {
  confidence: 1,
  evidence: ['made for a test'],
  runner_up: null,
  missing: 0,
  missing_token: '',
  missing_tokens: [],
  distinct: 2,
  distinct_exact: true,
  top_levels: [],
  format: null,
  numbers: null,
  lengths: { min: 1, mean: 1, max: 1 },
};

/** Columns `x` (continuous), `c` (categorical), `t` (text), `__proto__` (categorical), over sixty rows, of which two are sampled. */
export const PROFILE: Profile = {
  version: 1,
  dialect: { format: 'csv', encoding: 'utf-8', delimiter: ',' },
  rows: 60,
  columns: [
    {
      ...COLUMN,
      name: 'x',
      kind: 'continuous',
      suggested_role: 'target',
      format: { kind: 'plain', format: { integer: false, decimals: 1, fixed: false, min: -1.5, max: 2.5 } },
      numbers: {
        count: 60,
        format: { integer: false, decimals: 1, fixed: false, min: -1.5, max: 2.5 },
        mean: 0.5,
        sd: 2,
        zeros: 0,
        quantiles: Array.from({ length: 23 }, (_, i) => -1.5 + (4 * i) / 22),
      },
    },
    { ...COLUMN, name: 'c', kind: 'categorical', suggested_role: 'categorical' },
    { ...COLUMN, name: 't', kind: 'text', suggested_role: 'text' },
    { ...COLUMN, name: '__proto__', kind: 'categorical', suggested_role: 'categorical' },
  ],
  warnings: ['made for a test'],
  relations: [],
  sample: {
    rows: 2,
    cells: [
      ['-1.5', '2.5'],
      ['a', 'b'],
      ['some words here', 'other words there'],
      ['p', 'q'],
    ],
  },
};
