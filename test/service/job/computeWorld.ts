/**
 * The service beside a Batch of the imagination: requests die between their writes, submissions are lost, machines are
 * taken away, processes crash, news comes late, twice and in any order. Records and slots are real (SQLite, in memory).
 */
import { DatabaseSync } from '@photostructure/sqlite';
import { MIGRATIONS } from '../../../adapters/local/database.ts';
import { SqliteJobStore } from '../../../adapters/local/sqliteJobStore.ts';
import { endAttempt } from '../../../service/job/endJob.ts';
import { CANCELLED, INTERNAL_ERROR } from '../../../service/job/failures.ts';
import { type Attempt, isActive, slotOf } from '../../../service/job/job.ts';
import {
  type ComputeView,
  DEFAULT_LIMITS,
  type ReconcileParts,
  reconcileAttempt,
  reconcileAttempts,
} from '../../../service/job/reconcile.ts';
import { METRICS, newJob, RECEIPT, requestFor } from '../../support/jobFixtures.ts';
import { memoryService } from '../../support/memoryService.ts';

export const MAX_RUNNING = 3;
export const JOBS = ['a', 'b', 'c', 'd', 'e'];

/** Where a request dies, or what becomes of its submission. */
export const STARTS = ['well', 'dies after takeSlot', 'dies after start', 'refused', 'lost', 'twice'] as const;
export type Start = (typeof STARTS)[number];

/** What happens to a Batch job that runs. */
export const ENDS = ['finish', 'finish and die', 'fail', 'crash', 'reclaim', 'vanish'] as const;
export type End = (typeof ENDS)[number];

interface BatchJob {
  attempt: Attempt;
  phase: 'waiting' | 'running' | 'ended';
  since: number;
}

export class ComputeWorld {
  now = Date.parse('2026-11-03T09:00:00Z');
  readonly jobs: SqliteJobStore;
  readonly #batch: BatchJob[] = [];
  readonly #news: Attempt[] = [];
  readonly #taken = new Map<string, number>();
  readonly #database = new DatabaseSync(':memory:');
  readonly #parts: ReconcileParts;

  constructor() {
    this.#database.exec(MIGRATIONS.join('\n'));
    this.jobs = new SqliteJobStore(this.#database);
    const cancel = async (jobId: string, attempt: number) => this.#terminate({ jobId, attempt });
    const service = memoryService({
      jobs: this.jobs,
      clock: { now: () => new Date(this.now) },
      queue: { submit: async () => undefined, cancel },
    });
    const compute = {
      survey: async () => new Map(this.#alive().map((job) => [nameOf(job.attempt), viewOf(job)])),
      look: async (attempt: Attempt) => this.#look(attempt),
    };
    this.#parts = { service, compute, limits: DEFAULT_LIMITS };
  }

  close(): void {
    this.#database.close();
  }

  async upload(id: string): Promise<void> {
    await this.jobs.create(newJob(id));
  }

  /** POST /generate. */
  async generate(id: string, how: Start): Promise<void> {
    const job = await this.jobs.find(id);
    if (!job || isActive(job.state) || job.state === 'done') return;
    const attempt = { jobId: id, attempt: job.attempt + 1 };
    if ((await this.jobs.takeSlot(nameOf(attempt), MAX_RUNNING)) !== 'taken') return;
    this.#taken.set(nameOf(attempt), this.now);
    if (how === 'dies after takeSlot') return;
    const at = new Date(this.now).toISOString();
    if (!(await this.jobs.start(id, attempt.attempt, requestFor(id), at)) || how === 'dies after start') return;
    if (how === 'refused') {
      await this.jobs.fail(id, attempt.attempt, INTERNAL_ERROR, at);
      await this.jobs.freeSlot(nameOf(attempt));
    } else if (how !== 'lost') this.#accept(attempt);
    if (how === 'twice') this.#accept(attempt);
  }

  async cancel(id: string): Promise<void> {
    const job = await this.jobs.find(id);
    if (job && isActive(job.state)) await endAttempt(this.#parts.service, job, CANCELLED);
  }

  /** A machine is found for one that waits: its process claims the record, or stops. */
  async begin(pick: number): Promise<void> {
    const job = pickOf(
      this.#batch.filter(({ phase }) => phase === 'waiting'),
      pick,
    );
    if (!job) return;
    const claimed = await this.jobs.run(job.attempt.jobId, job.attempt.attempt);
    this.#move(job, claimed ? 'running' : 'ended');
  }

  async end(pick: number, how: End): Promise<void> {
    const job = pickOf(
      this.#batch.filter(({ phase }) => phase === 'running'),
      pick,
    );
    if (!job) return;
    const { jobId, attempt } = job.attempt;
    const at = new Date(this.now).toISOString();
    if (how === 'reclaim') {
      this.#handBack(job.attempt);
      return this.#move(job, 'waiting');
    }
    if (how === 'vanish') return void this.#batch.splice(this.#batch.indexOf(job), 1);
    if (how === 'finish' || how === 'finish and die') await this.jobs.finish(jobId, attempt, METRICS, RECEIPT, at);
    if (how === 'fail') await this.jobs.fail(jobId, attempt, INTERNAL_ERROR, at);
    if (how === 'finish' || how === 'fail') await this.jobs.freeSlot(nameOf(job.attempt));
    this.#move(job, 'ended');
  }

  /** Any event that ever was, once more. */
  async deliver(pick: number): Promise<void> {
    const news = pickOf(this.#news, pick);
    if (news) await reconcileAttempt(this.#parts, news);
  }

  async reconcile(): Promise<void> {
    await reconcileAttempts(this.#parts, new Map(this.#taken));
  }

  /** Processes find out that their attempt is over, and end. */
  async beat(): Promise<void> {
    for (const job of this.#batch.filter(({ phase }) => phase === 'running')) {
      const record = await this.jobs.find(job.attempt.jobId);
      const isOn = record?.attempt === job.attempt.attempt && record.state === 'running';
      if (!isOn) this.#move(job, 'ended');
    }
  }

  /** Attempts that wait for a machine or have one, each once. */
  alive(): string[] {
    return [...new Set(this.#alive().map(({ attempt }) => nameOf(attempt)))].sort();
  }

  running(): string[] {
    return this.#batch.filter(({ phase }) => phase === 'running').map(({ attempt }) => nameOf(attempt));
  }

  /** Slots whose request is still under way, or was a moment ago. */
  async pending(limitMs: number): Promise<string[]> {
    const slots = await this.jobs.slots();
    return slots.filter((slot) => this.now - (this.#taken.get(slot) ?? 0) < limitMs);
  }

  async active(): Promise<string[]> {
    return (await this.jobs.active()).map((job) => slotOf(job.id, job.attempt)).sort();
  }

  #accept(attempt: Attempt): void {
    const job: BatchJob = { attempt, phase: 'waiting', since: this.now };
    this.#batch.push(job);
    this.#news.push(attempt);
  }

  #move(job: BatchJob, phase: BatchJob['phase']): void {
    job.phase = phase;
    job.since = this.now;
    this.#news.push(job.attempt);
  }

  #terminate(attempt: Attempt): void {
    for (const job of this.#alive()) if (nameOf(job.attempt) === nameOf(attempt)) this.#move(job, 'ended');
  }

  #alive(): BatchJob[] {
    return this.#batch.filter(({ phase }) => phase !== 'ended').sort((a, b) => (a.phase < b.phase ? 1 : -1));
  }

  #look(attempt: Attempt): ComputeView {
    const mine = this.#batch.filter((job) => nameOf(job.attempt) === nameOf(attempt));
    const best = ['running', 'waiting', 'ended'].flatMap((phase) => mine.filter((job) => job.phase === phase))[0];
    return best ? viewOf(best) : { phase: 'absent' };
  }

  /** running → started, which only the store on AWS has a name for. */
  #handBack({ jobId, attempt }: Attempt): void {
    const sql = `UPDATE jobs SET state = 'started' WHERE id = ? AND attempt = ? AND state = 'running'`;
    this.#database.prepare(sql).run(jobId, attempt);
  }
}

const nameOf = ({ jobId, attempt }: Attempt): string => slotOf(jobId, attempt);

const viewOf = ({ phase, since }: BatchJob): ComputeView => {
  if (phase === 'running') return { phase };
  return phase === 'waiting' ? { phase, since } : { phase, failure: INTERNAL_ERROR };
};

const pickOf = <T>(from: readonly T[], pick: number): T | undefined => from[pick % Math.max(1, from.length)];
