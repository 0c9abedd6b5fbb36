/** Each change is one statement or one transaction with the write lock. */
import { fromStore, ServiceError } from '../../packages/contract/errors.ts';
import type { JobEvent } from '../../packages/contract/events.ts';
import type { JobMetrics } from '../../packages/contract/metrics.ts';
import type { JobFailure } from '../../packages/contract/problems.ts';
import type { JobReceipt } from '../../packages/contract/receipt.ts';
import type { JobRequest } from '../../packages/contract/requests.ts';
import { type Job, jobOfSlot, type NewJob, slotOf } from '../../service/job/job.ts';
import type { JobLine, JobMark, JobStore, QueuedJob, Settlement, StartParts } from '../../service/ports.ts';
import type { Ledger } from '../../service/privacy/charges.ts';
import { RETRY_AFTER_SECONDS } from '../../service/service.ts';
import { type Database, emptyLog, immediately, type SqlValue } from './database.ts';
import { jobOfRow, queuedSchema } from './jobRow.ts';
import { heldBy, LEASE_MS, type ProcessIdentity, restartAttempt, thisProcess } from './leases.ts';
import { settleAnswer } from './sqliteIdempotencyStore.ts';
import { addCharge, heldCharge, heldText, readLedger, takeBack } from './sqliteLedger.ts';
import { guarded } from './storageErrors.ts';

/** Parameters: job id, attempt. */
const STARTABLE = `id = ? AND attempt = ? AND state IN ('uploaded', 'failed')`;
const STARTED = `id = ? AND attempt = ? AND state = 'started'`;
const RUNNING = `id = ? AND attempt = ? AND state = 'running'`;
const UNRELEASED = `id = ? AND attempt = ? AND state = 'done' AND released_at IS NULL`;
const ACTIVE = `id = ? AND attempt = ? AND state IN ('started', 'running')`;
const QUEUED = `id = ? AND attempt = ? AND state = 'queued'`;
const HAS_SLOT = 'EXISTS (SELECT 1 FROM slots WHERE slot = ?)';

const EMPTIED = `ended_at = NULL, progress = '[]', metrics = NULL, receipt = NULL, error = NULL, restarts = 0`;
const LEASE = 'lease_instance = ?, lease_host = ?, lease_pid = ?, lease_until = ?';
const WAITING = `(SELECT count(*) FROM jobs WHERE state = 'queued')`;

const NO_LEASE = 'lease_instance = NULL, lease_host = NULL, lease_pid = NULL, lease_until = NULL';

type WrittenToo = Pick<StartParts, 'settlement' | 'charge'>;

/** Rolls back a start whose ledger has changed. */
class LedgerMoved extends Error {}

/** Rolls back a request whose claim has lapsed. */
class ClaimLost extends ServiceError {
  constructor() {
    super({ reason: 'request_in_progress', seconds: RETRY_AFTER_SECONDS });
  }
}

export class SqliteJobStore implements JobStore {
  readonly #database: Database;
  readonly #owner: ProcessIdentity;
  readonly #forProgress: Database;

  /** `owner` gets the first lease of attempts. `forProgress` may skip disk syncs: a power cut ends the job anyway. */
  constructor(database: Database, owner: ProcessIdentity = thisProcess, forProgress: Database = database) {
    this.#database = database;
    this.#owner = owner;
    this.#forProgress = forProgress;
  }

  async create(job: NewJob, settlement?: Settlement): Promise<void> {
    guarded(() =>
      immediately(this.#database, () => {
        this.#insert(job);
        if (settlement && !settleAnswer(this.#database, settlement)) throw new ClaimLost();
      }),
    );
  }

  #insert(job: NewJob): void {
    this.#change(
      `INSERT INTO jobs (id, key_id, state, attempt, file_name, file_bytes, file_sha256, created_at, last_event_at)
       VALUES (?, ?, 'uploaded', 0, ?, ?, ?, ?, ?)`,
      [job.id, job.keyId, job.fileName, job.fileBytes, job.fileSha256, job.createdAt, job.createdAt],
    );
  }

  async find(jobId: string): Promise<Job | undefined> {
    return this.#jobs('SELECT * FROM jobs WHERE id = ?', [jobId])[0];
  }

  async counts(): Promise<{ active: number; total: number }> {
    const [row] = this.#rows(
      `SELECT (SELECT count(*) FROM jobs WHERE state IN ('started', 'running')) AS active,
              (SELECT count(*) FROM jobs) AS total`,
      [],
    );
    return { active: Number(row?.active), total: Number(row?.total) };
  }

  async takeSlot(slot: string, limit: number): Promise<'taken' | 'held' | 'full'> {
    return guarded(() =>
      immediately(this.#database, () => {
        const held = this.#rows('SELECT slot FROM slots', []).map((row) => row.slot);
        if (held.includes(slot)) return 'held';
        if (held.length >= limit) return 'full';
        this.#change('INSERT INTO slots (slot) VALUES (?)', [slot]);
        return 'taken';
      }),
    );
  }

  async freeSlot(slot: string): Promise<void> {
    const { jobId, attempt } = jobOfSlot(slot);
    this.#change(`DELETE FROM slots WHERE slot = ? AND NOT EXISTS (SELECT 1 FROM jobs WHERE ${ACTIVE})`, [
      slot,
      jobId,
      attempt,
    ]);
  }

  async slots(): Promise<string[]> {
    return this.#rows('SELECT slot FROM slots ORDER BY slot', []).map((row) => String(row.slot));
  }

  async start(
    jobId: string,
    attempt: number,
    request: JobRequest,
    at: string,
    { settlement, estimate, charge }: StartParts = {},
  ): Promise<boolean> {
    return this.#settled({ settlement, charge }, () =>
      this.#change(
        `UPDATE jobs SET state = 'started', attempt = ?, request = ?, estimate = ?, started_at = ?, charge = ?, queued_at = NULL, ${EMPTIED}, ${LEASE}
         WHERE ${STARTABLE} AND ${HAS_SLOT}`,
        [
          attempt,
          JSON.stringify(request),
          estimate === undefined ? null : JSON.stringify(estimate),
          at,
          charge ? heldText(charge) : null,
          ...this.#lease(),
          jobId,
          attempt - 1,
          slotOf(jobId, attempt),
        ],
      ),
    );
  }

  #settled({ settlement, charge }: WrittenToo, change: () => boolean): boolean {
    try {
      return guarded(() =>
        immediately(this.#database, () => {
          if (!change()) return false;
          if (settlement && !settleAnswer(this.#database, settlement)) throw new ClaimLost();
          if (charge && !addCharge(this.#database, charge)) throw new LedgerMoved();
          return true;
        }),
      );
    } catch (error) {
      if (error instanceof ClaimLost || error instanceof LedgerMoved) return false;
      throw error;
    }
  }

  #lease(): SqlValue[] {
    const { instance, host, pid } = this.#owner;
    return [instance, host, pid, Date.now() + LEASE_MS];
  }

  async enqueue(
    { jobId, attempt, queuedAt, estimate }: QueuedJob,
    request: JobRequest,
    limit: number,
    { settlement, charge }: WrittenToo = {},
  ): Promise<'queued' | 'full' | 'changed'> {
    const isQueued = this.#settled({ settlement, charge }, () =>
      this.#change(
        `UPDATE jobs SET state = 'queued', attempt = ?, request = ?, estimate = ?, queued_at = ?, charge = ?, started_at = NULL, ${EMPTIED}
         WHERE ${STARTABLE} AND ${WAITING} < ?`,
        [
          attempt,
          JSON.stringify(request),
          JSON.stringify(estimate),
          queuedAt,
          charge ? heldText(charge) : null,
          jobId,
          attempt - 1,
          limit,
        ],
      ),
    );
    if (isQueued) return 'queued';
    const [row] = this.#rows(`SELECT ${WAITING} AS waiting`, []);
    return Number(row?.waiting) >= limit ? 'full' : 'changed';
  }

  async startQueued({ jobId, attempt, keyId }: QueuedJob, request: JobRequest, at: string): Promise<boolean> {
    return this.#settled({}, () => {
      const isStarted = this.#change(
        `UPDATE jobs SET state = 'started', request = ?, started_at = ?, ${LEASE} WHERE ${QUEUED} AND ${HAS_SLOT}`,
        [JSON.stringify(request), at, ...this.#lease(), jobId, attempt, slotOf(jobId, attempt)],
      );
      if (isStarted) this.#change('INSERT OR REPLACE INTO served (key_id, at) VALUES (?, ?)', [keyId, at]);
      return isStarted;
    });
  }

  async requeue({ jobId, attempt }: QueuedJob): Promise<boolean> {
    return this.#change(`UPDATE jobs SET state = 'queued', started_at = NULL, ${NO_LEASE} WHERE ${STARTED}`, [
      jobId,
      attempt,
    ]);
  }

  async failQueued(jobId: string, attempt: number, failure: JobFailure, at: string): Promise<boolean> {
    return this.#end(jobId, () =>
      this.#change(
        `UPDATE jobs SET state = 'failed', error = ?, ended_at = ?, last_event_at = ?, charge = NULL WHERE ${QUEUED}`,
        [JSON.stringify(failure), at, at, jobId, attempt],
      ),
    );
  }

  async line(): Promise<JobLine> {
    const jobs = this.#rows(`SELECT id, attempt, key_id, queued_at, estimate FROM jobs WHERE state = 'queued'`, []);
    const served = this.#rows('SELECT key_id, at FROM served', []);
    return fromStore(() => ({
      jobs: jobs.map((row) => queuedSchema.parse(row)),
      served: new Map(served.map((row) => [String(row.key_id), String(row.at)])),
    }));
  }

  /** As the next attempt, held here or left. Returns false if over or restarted before. */
  async restart(jobId: string, attempt: number, by: 'here' | 'left'): Promise<boolean> {
    const held = by === 'here' ? heldBy(this.#owner, Date.now()) : null;
    return guarded(() => restartAttempt(this.#database, { jobId, attempt }, held));
  }

  async run(jobId: string, attempt: number): Promise<boolean> {
    return this.#change(`UPDATE jobs SET state = 'running', charge = NULL WHERE ${STARTED}`, [jobId, attempt]);
  }

  async addEvents(jobId: string, attempt: number, events: readonly JobEvent[]): Promise<boolean> {
    const appended = events.map(() => `, '$[#]', json(?)`).join('');
    const progress = events.length > 0 ? `json_insert(progress${appended})` : 'progress';
    const sql = `UPDATE jobs SET progress = ${progress} WHERE ${ACTIVE}`;
    return this.#change(sql, [...events.map((event) => JSON.stringify(event)), jobId, attempt], this.#forProgress);
  }

  async finish(jobId: string, attempt: number, metrics: JobMetrics, receipt: JobReceipt, at: string): Promise<boolean> {
    return this.#change(
      `UPDATE jobs SET state = 'done', metrics = ?, receipt = ?, ended_at = ?, last_event_at = ?, ${NO_LEASE}
       WHERE ${RUNNING}`,
      [JSON.stringify(metrics), JSON.stringify(receipt), at, at, jobId, attempt],
    );
  }

  async release(jobId: string, attempt: number, at: string): Promise<boolean> {
    return this.#change(`UPDATE jobs SET released_at = ? WHERE ${UNRELEASED}`, [at, jobId, attempt]);
  }

  async fail(jobId: string, attempt: number, failure: JobFailure, at: string): Promise<boolean> {
    return this.#end(jobId, () =>
      this.#change(
        `UPDATE jobs SET state = 'failed', error = ?, ended_at = ?, last_event_at = ?, charge = NULL, ${NO_LEASE}
         WHERE ${ACTIVE}`,
        [JSON.stringify(failure), at, at, jobId, attempt],
      ),
    );
  }

  async erase(jobId: string): Promise<void> {
    this.#end(jobId, () => this.#change('DELETE FROM jobs WHERE id = ?', [jobId]));
    guarded(() => emptyLog(this.#database));
  }

  async ledger(ledger: string): Promise<Ledger> {
    return guarded(() => readLedger(this.#database, ledger));
  }

  /** Takes back the charge of an attempt that never ran. */
  #end(jobId: string, change: () => boolean): boolean {
    return guarded(() =>
      immediately(this.#database, () => {
        const held = heldCharge(this.#database, jobId);
        if (!change()) return false;
        takeBack(this.#database, held);
        return true;
      }),
    );
  }

  async madeBy(keyId: string, limit: number, before: JobMark | null): Promise<Job[]> {
    const older = before ? 'AND (created_at, id) < (?, ?)' : '';
    return this.#jobs(`SELECT * FROM jobs WHERE key_id = ? ${older} ORDER BY created_at DESC, id DESC LIMIT ?`, [
      keyId,
      ...(before ? [before.createdAt, before.id] : []),
      limit,
    ]);
  }

  async usageOf(keyId: string): Promise<{ jobs: number; bytes: number }> {
    const [row] = this.#rows('SELECT count(*) AS jobs, total(file_bytes) AS bytes FROM jobs WHERE key_id = ?', [keyId]);
    return { jobs: Number(row?.jobs), bytes: Number(row?.bytes) };
  }

  async active(): Promise<Job[]> {
    return this.#jobs(`SELECT * FROM jobs WHERE state IN ('started', 'running') ORDER BY started_at, id`, []);
  }

  async endedBefore(at: string): Promise<Job[]> {
    return this.#jobs(
      `SELECT * FROM jobs WHERE state IN ('uploaded', 'done', 'failed') AND last_event_at < ? ORDER BY last_event_at, id`,
      [at],
    );
  }

  #change(sql: string, values: SqlValue[], database = this.#database): boolean {
    return guarded(() => Number(database.prepare(sql).run(...values).changes) > 0);
  }

  #rows(sql: string, values: SqlValue[]): Record<string, unknown>[] {
    return guarded(() => this.#database.prepare(sql).all(...values));
  }

  #jobs(sql: string, values: SqlValue[]): Job[] {
    return this.#rows(sql, values).map((row) => fromStore(() => jobOfRow(row)));
  }
}
