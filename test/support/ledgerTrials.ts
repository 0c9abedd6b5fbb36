/** Starts of private jobs that meet at every call of a port: what is charged must be what ran, wherever processes fail or die. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoJobStore } from '../../adapters/aws/dynamoJobStore.ts';
import { RecordTable } from '../../adapters/aws/recordTable.ts';
import { openDatabase } from '../../adapters/local/database.ts';
import { SqliteJobStore } from '../../adapters/local/sqliteJobStore.ts';
import { MAX_EPSILON_PER_FILE } from '../../packages/contract/privacy.ts';
import { generateRequestSchema } from '../../packages/contract/requests.ts';
import { rhoOf } from '../../packages/numerics/privacy/accounting.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import { decodeProfile, encodeProfile } from '../../packages/tables/profile/profile.ts';
import type { HeavyWork } from '../../service/heavyWork.ts';
import { cancelJob, eraseJob } from '../../service/job/endJob.ts';
import { INTERNAL_ERROR } from '../../service/job/failures.ts';
import { isUnderWay, slotOf } from '../../service/job/job.ts';
import { profileKey } from '../../service/job/objectKeys.ts';
import { startJob } from '../../service/job/startJob.ts';
import { startWaiting } from '../../service/job/startWaiting.ts';
import type { JobStore } from '../../service/ports.ts';
import { ledgerOf } from '../../service/privacy/ledger.ts';
import type { Service } from '../../service/service.ts';
import { FakeDynamo } from './fakeDynamo.ts';
import { type Act, type Ending, FAULTS, interleave, type Rules, type Step } from './interleave.ts';
import { LATER, METRICS, newJob, RECEIPT } from './jobFixtures.ts';
import { memoryService } from './memoryService.ts';
import { realReader } from './realReader.ts';

export const STORES = ['SQLite', 'DynamoDB'] as const;
export type StoreName = (typeof STORES)[number];

const ROWS = Array.from({ length: 250 }, (_, row) => `${row},${row % 2 === 0 ? 'a' : 'b'}`);
const DOMAIN = { x: { min: 0, max: 2000 }, c: { levels: ['a', 'b'] } };
/** Two of these fit into the budget, and three do not. */
const EPSILON = 6;
const JOBS = ['a', 'b'] as const;
const BUDGET = rhoOf(MAX_EPSILON_PER_FILE, 1e-6);

/** A storage for many trials, each of which has an owner and jobs of its own. */
export class LedgerBench {
  readonly #jobs: JobStore;
  readonly #profile: Uint8Array;
  readonly #table: string;
  readonly #close: () => void;
  #trials = 0;
  #checked: ReturnType<HeavyWork['checkRequest']> | undefined;

  static async open(name: StoreName): Promise<LedgerBench> {
    const file = async function* () {
      yield Buffer.from(['x,c', ...ROWS].join('\n'));
    };
    const { profile: whole } = await realReader.profile(file(), 'a.csv', '');
    const decoded = decodeProfile(whole);
    // Few hashes are enough here, and take less time to be keyed in each of thousands of starts.
    const row_digest = { ...decoded.row_digest!, smallest: decoded.row_digest!.smallest.slice(0, 2) };
    const { profile } = encodeProfile({ ...decoded, row_digest });
    const { jobs, close } = name === 'SQLite' ? sqlite() : dynamo();
    return new LedgerBench(jobs, profile, close);
  }

  private constructor(jobs: JobStore, profile: Uint8Array, close: () => void) {
    this.#jobs = jobs;
    this.#profile = profile;
    this.#table = decodeProfile(profile).row_digest!.table;
    this.#close = close;
  }

  close = (): void => this.#close();

  /** Two uploads of one table. */
  async trial(): Promise<LedgerTrial> {
    const key = `key-${++this.#trials}`;
    const ids = JOBS.map((name) => `${name}-${this.#trials}`);
    const service = memoryService({ jobs: this.#jobs });
    const { work } = service;
    // The same request is checked each time: the answer of the real check is kept, which takes most of a start.
    const checkRequest: HeavyWork['checkRequest'] = (...asked) => {
      this.#checked ??= work.checkRequest(...asked);
      return this.#checked;
    };
    service.work = { ...work, checkRequest };
    const { jobs, objects } = service;
    for (const id of ids) {
      await objects.put(profileKey(id), this.#profile);
      await jobs.create({ ...newJob(id), keyId: key });
    }
    return new LedgerTrial(service, { key, ids, ledger: ledgerOf(key, this.#table) });
  }
}

function sqlite(): { jobs: JobStore; close: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  const database = openDatabase(folder, { durable: false });
  return {
    jobs: new SqliteJobStore(database),
    close: () => {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function dynamo(): { jobs: JobStore; close: () => void } {
  const client = new FakeDynamo().client();
  return { jobs: new DynamoJobStore(new RecordTable(client, 'records')), close: () => client.destroy() };
}

interface TrialParts {
  key: string;
  ids: string[];
  ledger: string;
}

export class LedgerTrial {
  readonly service: Service;
  readonly #parts: TrialParts;
  /** Attempts whose process has begun to read cells: "id#attempt". */
  readonly #ran = new Set<string>();

  constructor(service: Service, parts: TrialParts) {
    this.#parts = parts;
    this.service = { ...service, jobs: noting(service.jobs, this.#ran) };
  }

  /** The request of a client. */
  start(job = 0, queue = false): Act {
    const request = generateRequestSchema.parse({
      job_id: this.#id(job),
      privacy: { epsilon: EPSILON },
      domain: DOMAIN,
      continuous_cols: ['x'],
      categorical_cols: ['c'],
    });
    return (service) => startJob(service, this.#parts.key, request, null, { queue });
  }

  cancel =
    (job = 0): Act =>
    (service) =>
      cancelJob(service, this.#parts.key, this.#id(job));
  erase =
    (job = 0): Act =>
    (service) =>
      eraseJob(service, this.#parts.key, this.#id(job));
  turn = (): Act => (service) => startWaiting(service);

  /** The process of the attempt that there is when it looks. */
  process(job: number, isDone: boolean): Act {
    const id = this.#id(job);
    return async ({ jobs }) => {
      const attempt = (await jobs.find(id))?.attempt ?? 0;
      if (!(await jobs.run(id, attempt))) return;
      if (isDone) await jobs.finish(id, attempt, METRICS, RECEIPT, LATER);
      else await jobs.fail(id, attempt, INTERNAL_ERROR, LATER);
      await jobs.freeSlot(slotOf(id, attempt));
    };
  }

  #id = (job: number): string => this.#parts.ids[job]!;

  async charged(): Promise<string[]> {
    const { charges } = await this.service.jobs.ledger(this.#parts.ledger);
    return charges.map(({ job_id, attempt }) => slotOf(job_id, attempt)).sort();
  }

  /** For the rules of `interleave`: looks for faults after each call that may change what is charged. */
  noting(faults: string[]): NonNullable<Rules['check']> {
    return async ({ call }) => {
      if (CHANGES.has(call)) faults.push(...(await this.faults()));
    };
  }

  /** What is wrong now: each attempt that ran or still may has one charge, nothing else has, and all keep to the budget. */
  async faults(): Promise<string[]> {
    const jobs = await Promise.all(this.#parts.ids.map((id) => this.service.jobs.find(id)));
    const underWay = jobs.flatMap((job) => (job && isUnderWay(job.state) ? [slotOf(job.id, job.attempt)] : []));
    const due = [...new Set([...this.#ran, ...underWay])].sort();
    const charged = await this.charged();
    const faults = charged.join() === due.join() ? [] : [`charged ${charged.join()}, due ${due.join()}`];
    const { charges } = await this.service.jobs.ledger(this.#parts.ledger);
    const spent = charges.reduce((sum, { rho }) => sum + rho, 0);
    if (spent > BUDGET) faults.push(`spent ${spent}`);
    return faults;
  }

  /** Ends what is left: jobs that wait are cancelled, and started ones run or are given up, as a service does after a crash. */
  async settle(runs: (job: number) => boolean): Promise<void> {
    const { jobs } = this.service;
    for (const [at, id] of this.#parts.ids.entries()) {
      const job = await jobs.find(id);
      if (job?.state === 'queued') await jobs.failQueued(id, job.attempt, INTERNAL_ERROR, LATER);
      if (job?.state === 'started' && runs(at)) await jobs.run(id, job.attempt);
      if (job && isUnderWay(job.state)) await jobs.fail(id, job.attempt, INTERNAL_ERROR, LATER);
      for (const slot of await jobs.slots()) await jobs.freeSlot(slot);
    }
  }

  /** After `settle`: attempts that ran, each with its charge. */
  async unequal(): Promise<string[]> {
    const ran = [...this.#ran].sort();
    const charged = await this.charged();
    return charged.join() === ran.join() ? [] : [`in the end charged ${charged.join()}, ran ${ran.join()}`];
  }

  get ran(): number {
    return this.#ran.size;
  }
}

const CHANGES: ReadonlySet<string> = new Set(
  ['start', 'enqueue', 'startQueued', 'requeue', 'run', 'finish', 'fail', 'failQueued', 'erase'].map(
    (name) => `jobs.${name}`,
  ),
);

/** The store, which notes what ran even if the process never hears of it. */
const noting = (jobs: JobStore, ran: Set<string>): JobStore =>
  new Proxy(jobs, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (name !== 'run') return method.bind(target);
      return async (id: string, attempt: number) => {
        const isRunning = await target.run(id, attempt);
        if (isRunning) ran.add(slotOf(id, attempt));
        return isRunning;
      };
    },
  });

/** One after the other, each to its given number of calls, and round again to their ends. */
export const turnsOf =
  (order: readonly { actor: number; until: number }[]) =>
  (waiting: readonly Step[]): Step => {
    for (const { actor, until } of order) {
      const next = waiting.find((step) => step.actor === actor && step.at < until);
      if (next) return next;
    }
    return waiting[0]!;
  };

export interface RandomOutcome {
  faults: string[];
  ran: number;
  charged: number;
  endings: Ending[];
}

const FAULT_RATE = 0.02;

/** Two or three starts with cancels, processes, turns and erasures, in an order and with faults that the stream decides. */
export async function randomTrial(bench: LedgerBench, random: RandomStream): Promise<RandomOutcome> {
  const trial = await bench.trial();
  const faults: string[] = [];
  const job = () => random.integer(JOBS.length);
  const starts = Array.from({ length: 2 + random.integer(2) }, () =>
    trial.start(random.uniform() < 0.7 ? 0 : 1, random.uniform() < 0.3),
  );
  const others = Array.from({ length: random.integer(5) }, () => {
    const kind = random.integer(5);
    if (kind === 0) return trial.cancel(job());
    if (kind === 1) return trial.erase(job());
    if (kind === 2) return trial.turn();
    return trial.process(job(), kind === 3);
  });
  // Some trials have no slot at first, so that jobs wait; the slots are those of all trials, which leave none taken.
  trial.service.settings = { ...trial.service.settings, maxRunningJobs: random.integer(4) };
  const rules: Rules = {
    choose: (waiting) => waiting[random.integer(waiting.length)]!,
    fault: () => (random.uniform() < FAULT_RATE ? FAULTS[random.integer(FAULTS.length)] : undefined),
    check: trial.noting(faults),
  };
  const endings = await interleave(trial.service, [...starts, ...others], rules);
  faults.push(...(await trial.faults()));
  await trial.settle(() => random.uniform() < 0.5);
  faults.push(...(await trial.unequal()), ...(await trial.faults()));
  return { faults, ran: trial.ran, charged: (await trial.charged()).length, endings };
}

/** The random numbers of a trial. */
export const trialStream = (seed: number, store: StoreName, number: number): RandomStream =>
  createStream(seed, `ledger ${store} ${number}`);
