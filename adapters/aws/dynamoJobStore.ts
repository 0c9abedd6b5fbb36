/**
 * Every change is one write or transaction with a condition:
 *
 *   takeSlot         FREE
 *   start            STARTABLE    and the slot is held: no job is active without one
 *   enqueue          STARTABLE    and the line has room
 *   startQueued      QUEUED       and the slot is held
 *   requeue          STARTED
 *   failQueued       QUEUED
 *   freeSlot         not ACTIVE   in one transaction: an active job never loses its slot
 *   run              STARTED      or RUNNING by this process, so that it may be repeated
 *   addEvents, fail  ACTIVE       and, from a job's process, the attempt is still its own
 *   finish           RUNNING      likewise
 *   release          UNRELEASED
 *
 * A private start also writes its charge if the ledger is unchanged; the end of an attempt that never ran takes it
 * back. After a lost answer the SDK repeats the write, and its token in the item shows that it was done.
 */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { JobEvent } from '../../packages/contract/events.ts';
import type { JobMetrics } from '../../packages/contract/metrics.ts';
import type { JobFailure } from '../../packages/contract/problems.ts';
import type { JobReceipt } from '../../packages/contract/receipt.ts';
import type { JobRequest } from '../../packages/contract/requests.ts';
import { type Attempt, type Job, jobOfSlot, type NewJob, slotOf } from '../../service/job/job.ts';
import type { JobLine, JobMark, JobStore, QueuedJob, Settlement, StartParts } from '../../service/ports.ts';
import type { HeldCharge, Ledger } from '../../service/privacy/charges.ts';
import { RETRY_AFTER_SECONDS } from '../../service/service.ts';
import { settlementIn } from './dynamoIdempotencyStore.ts';
import { chargeIn, heldCharge, heldValue, NO_REFUND, type Refund, readLedger, refundOf } from './dynamoLedger.ts';
import {
  HAS_SLOT,
  itemOfNewJob,
  jobItemKey,
  jobOfItem,
  madeMark,
  PHASE,
  packEvent,
  progressOf,
  SlotSet,
} from './jobItem.ts';
import { LineItem } from './lineItem.ts';
import { ITEMS } from './names.ts';
import { capProgress, fitEvent, MAX_EVENTS } from './progressBounds.ts';
import {
  ACTIVE,
  type Item,
  nothing,
  number,
  type Outcome,
  OWN,
  packedBytes,
  packJson,
  QUEUED,
  type RecordTable,
  RUNNING,
  STARTABLE,
  STARTED,
  text,
  texts,
  UNRELEASED,
  type Update,
  valuesIn,
} from './recordTable.ts';

/** Share of an item's 400 KB; the metrics repeat its columns. */
const MAX_REQUEST_BYTES = 100_000;

interface Begun extends Pick<StartParts, 'estimate' | 'charge'> {
  request: JobRequest;
  at: string;
}

type Guarded = Update & { condition: string };

export class DynamoJobStore implements JobStore {
  readonly #table: RecordTable;
  readonly #slots: SlotSet;
  readonly #line: LineItem;
  readonly #runner: string | undefined;

  /** `runner` names a job's process; its writes hold only while the attempt is its own. */
  constructor(table: RecordTable, runner?: string) {
    this.#table = table;
    this.#slots = new SlotSet(table);
    this.#line = new LineItem(table);
    this.#runner = runner;
  }

  async create(job: NewJob, settlement?: Settlement): Promise<void> {
    const made = await this.#table.transact([
      this.#table.putNewOf(jobItemKey(job.id), itemOfNewJob(job)),
      this.#table.updateOf(ITEMS.total, addJobs(1)),
      ...settlementIn(this.#table, settlement),
    ]);
    if (made) return;
    if (settlement) throw new ServiceError({ reason: 'request_in_progress', seconds: RETRY_AFTER_SECONDS });
    throw new Error(`there is a job ${job.id} already`);
  }

  async find(jobId: string): Promise<Job | undefined> {
    const item = await this.#table.get(jobItemKey(jobId));
    return item && jobOfItem(item);
  }

  /** Touches the line, one item for all, only for waiting jobs. */
  async erase(jobId: string): Promise<void> {
    const key = jobItemKey(jobId);
    const total = this.#table.updateOf(ITEMS.total, addJobs(-1));
    const isErased = await this.#end(jobId, ({ condition, values, parts }) => {
      const check = { condition: `#state <> :queued AND ${condition}`, values: { ...valuesIn(':queued'), ...values } };
      return this.#table.transact([this.#table.deleteOf(key, check), total, ...parts]);
    });
    if (isErased || (await this.#table.get(key))?.state?.S !== 'queued') return;
    await this.#end(jobId, ({ condition, values, parts }) =>
      this.#table.transact([
        this.#table.deleteOf(key, { condition, values }),
        total,
        this.#line.leaving(jobId),
        ...parts,
      ]),
    );
  }

  ledger = (ledger: string): Promise<Ledger> => readLedger(this.#table, ledger);

  /**
   * Ends an attempt or erases its job: first without a refund, since most jobs hold no charge, then with one, again
   * while others change the ledger.
   */
  async #end(jobId: string, write: (refund: Refund) => Promise<boolean>): Promise<boolean> {
    if (await write(NO_REFUND)) return true;
    for (;;) {
      const held = heldCharge(await this.#table.get(jobItemKey(jobId)));
      if (!held) return write(NO_REFUND);
      const ledger = await this.#ledgerOrNone(held);
      if (await write(refundOf(this.#table, held, ledger))) return true;
      const isAsBefore = (await this.#ledgerOrNone(held))?.version === ledger?.version;
      if (isAsBefore && heldCharge(await this.#table.get(jobItemKey(jobId)))?.id === held.id) return false;
    }
  }

  async #ledgerOrNone(held: HeldCharge): Promise<Ledger | undefined> {
    try {
      return await readLedger(this.#table, held.ledger);
    } catch (error) {
      if (error instanceof ServiceError && error.params.reason === 'ledger_damaged') return undefined;
      throw error;
    }
  }

  takeSlot = (slot: string, limit: number): Promise<'taken' | 'held' | 'full'> => this.#slots.take(slot, limit);
  freeSlot = (slot: string): Promise<void> => this.#slots.free(slot);
  slots = (): Promise<string[]> => this.#slots.names();
  /** Milliseconds. */
  slotTimes = (): Promise<Map<string, number>> => this.#slots.times();

  async start(
    jobId: string,
    attempt: number,
    request: JobRequest,
    at: string,
    { settlement, estimate, charge }: StartParts = {},
  ): Promise<boolean> {
    return this.#table.transact([
      this.#hasSlot(jobId, attempt),
      this.#begin('started', { jobId, attempt }, { request, at, estimate, charge }),
      ...settlementIn(this.#table, settlement),
      ...chargeIn(this.#table, charge),
    ]);
  }

  #begin(state: 'started' | 'queued', { jobId, attempt }: Attempt, { request, at, estimate, charge }: Begun) {
    const [now, never] = state === 'started' ? ['#startedAt', '#queuedAt'] : ['#queuedAt', '#startedAt'];
    const update = `SET #state = :${state}, #attempt = :attempt, #request = :request, #estimate = :estimate, ${now} = :at, ${never} = :nothing,
      #endedAt = :nothing, #progress = :none, #metrics = :nothing, #receipt = :nothing, #error = :nothing, #phase = :active, #since = :at${charge ? ', #charge = :charge' : ''} REMOVE #runner, #beat${charge ? '' : ', #charge'}`;
    const values = { ':before': number(attempt - 1), ':attempt': number(attempt), ':request': packRequest(request) };
    const more = {
      ':estimate': estimate ? packJson(estimate) : nothing,
      ':at': text(at),
      ':none': texts([]),
      ...(charge && { ':charge': heldValue(charge) }),
    };
    return this.#table.updateOf(jobItemKey(jobId), {
      update,
      condition: STARTABLE,
      values: { ...values, ...more, ':nothing': nothing, ...valuesIn(update, STARTABLE) },
    });
  }

  #hasSlot(jobId: string, attempt: number) {
    const values = { ':name': text(slotOf(jobId, attempt)) };
    return this.#table.checkOf(ITEMS.slots, { condition: HAS_SLOT, values });
  }

  async enqueue(
    job: QueuedJob,
    request: JobRequest,
    limit: number,
    { settlement, charge }: Pick<StartParts, 'settlement' | 'charge'> = {},
  ): Promise<'queued' | 'full' | 'changed'> {
    const isQueued = await this.#table.transact([
      this.#begin('queued', job, { request, at: job.queuedAt, estimate: job.estimate, charge }),
      this.#line.joining(job, limit),
      ...settlementIn(this.#table, settlement),
      ...chargeIn(this.#table, charge),
    ]);
    if (isQueued) return 'queued';
    return (await this.line()).jobs.length >= limit ? 'full' : 'changed';
  }

  async startQueued(job: QueuedJob, request: JobRequest, at: string): Promise<boolean> {
    const update = 'SET #state = :started, #request = :request, #startedAt = :at, #since = :at';
    const values = { ':request': packRequest(request), ':at': text(at) };
    return this.#table.transact([
      this.#hasSlot(job.jobId, job.attempt),
      this.#moving(job, { update, condition: QUEUED, values }),
      this.#line.served(job, at),
    ]);
  }

  async requeue(job: QueuedJob): Promise<boolean> {
    const update = 'SET #state = :queued, #startedAt = :nothing, #since = :at';
    const values = { ':nothing': nothing, ':at': text(job.queuedAt) };
    return this.#table.transact([this.#moving(job, { update, condition: STARTED, values }), this.#line.joining(job)]);
  }

  async failQueued(jobId: string, attempt: number, failure: JobFailure, at: string): Promise<boolean> {
    const update = `SET #state = :failed, #error = :error, ${ENDING}`;
    return this.#end(jobId, (refund) => {
      const values = { ':error': packJson(failure), ':at': text(at), ...refund.values };
      const condition = `${QUEUED} AND ${refund.condition}`;
      return this.#table.transact([
        this.#moving({ jobId, attempt }, { update, condition, values }),
        this.#line.leaving(jobId),
        ...refund.parts,
      ]);
    });
  }

  line = (): Promise<JobLine> => this.#line.read();

  #moving({ jobId, attempt }: Attempt, { update, condition, values }: Guarded) {
    const more = { ':attempt': number(attempt), ...valuesIn(update, condition) };
    return this.#table.updateOf(jobItemKey(jobId), { update, condition, values: { ...values, ...more } });
  }

  async run(jobId: string, attempt: number): Promise<boolean> {
    const claim = ', #runner = :runner, #beat = if_not_exists(#beat, :zero)';
    const stays = ' REMOVE #charge';
    const { held } = await this.#write(
      jobId,
      attempt,
      this.#runner === undefined
        ? { update: `SET #state = :running${stays}`, condition: STARTED, values: {} }
        : {
            update: `SET #state = :running${claim}${stays}`,
            condition: `((${STARTED}) OR (${RUNNING} AND ${OWN}))`,
            values: { ':runner': text(this.#runner), ':zero': number(0) },
          },
    );
    return held;
  }

  async addEvents(jobId: string, attempt: number, events: readonly JobEvent[]): Promise<boolean> {
    const more = events.map(fitEvent);
    let outcome = await this.#write(jobId, attempt, this.#fenced(appending(more)));
    while (!outcome.held && this.#isActive(outcome.old, attempt)) {
      const kept = progressOf(outcome.old);
      const whole = capProgress([...kept, ...more]);
      outcome = await this.#write(jobId, attempt, this.#fenced(replacing(kept.length, whole)));
    }
    return outcome.held;
  }

  async finish(jobId: string, attempt: number, metrics: JobMetrics, receipt: JobReceipt, at: string): Promise<boolean> {
    const update = `SET #state = :done, #metrics = :metrics, #receipt = :receipt, ${ENDING}`;
    const values = { ':metrics': packJson(metrics), ':receipt': packJson(receipt), ':at': text(at) };
    return (await this.#write(jobId, attempt, this.#fenced({ update, condition: RUNNING, values }))).held;
  }

  async release(jobId: string, attempt: number, at: string): Promise<boolean> {
    const values = { ':at': text(at) };
    return (await this.#write(jobId, attempt, { update: 'SET #releasedAt = :at', condition: UNRELEASED, values })).held;
  }

  async fail(jobId: string, attempt: number, failure: JobFailure, at: string): Promise<boolean> {
    const update = `SET #state = :failed, #error = :error, ${ENDING}`;
    return this.#end(jobId, async (refund) => {
      const values = { ':error': packJson(failure), ':at': text(at), ...refund.values };
      const change = this.#fenced({ update, condition: `${ACTIVE} AND ${refund.condition}`, values });
      if (refund.parts.length === 0) return (await this.#write(jobId, attempt, change)).held;
      return this.#table.transact([this.#moving({ jobId, attempt }, change), ...refund.parts]);
    });
  }

  /** The slots name every active job. */
  async active(): Promise<Job[]> {
    const jobs = (await this.#activeItems()).map(jobOfItem);
    return jobs.sort((a, b) => compare(a.startedAt ?? '', b.startedAt ?? '') || compare(a.id, b.id));
  }

  async counts(): Promise<{ active: number; total: number }> {
    const [active, total] = await Promise.all([
      this.#activeItems(['pk', 'state', 'attempt']),
      this.#table.get(ITEMS.total),
    ]);
    return { active: active.length, total: Number(total?.jobs?.N ?? 0) };
  }

  async madeBy(keyId: string, limit: number, before: JobMark | null): Promise<Job[]> {
    const keys = await this.#table.keysMadeBy(keyId, limit, before && madeMark(before));
    const jobs = (await this.#table.getAll(keys)).map(jobOfItem);
    return jobs.sort((a, b) => compare(madeMark(b), madeMark(a)));
  }

  async usageOf(keyId: string): Promise<{ jobs: number; bytes: number }> {
    const keys = await this.#table.keysMadeBy(keyId, Number.POSITIVE_INFINITY, null);
    const items = await this.#table.getAll(keys, ['fileBytes']);
    return { jobs: items.length, bytes: items.reduce((sum, item) => sum + Number(item.fileBytes?.N ?? 0), 0) };
  }

  async endedBefore(at: string): Promise<Job[]> {
    const items = await this.#table.getAll(await this.#table.keysInPhase(PHASE.ended, at));
    return items
      .filter((item) => item.phase?.S === PHASE.ended && (item.since?.S ?? '') < at)
      .sort((a, b) => compare(a.since?.S ?? '', b.since?.S ?? '') || compare(a.pk?.S ?? '', b.pk?.S ?? ''))
      .map(jobOfItem);
  }

  async #activeItems(attributes?: readonly string[]): Promise<Item[]> {
    const slots = await this.#slots.names();
    const keys = new Set(slots.map((slot) => jobItemKey(jobOfSlot(slot).jobId)));
    const items = await this.#table.getAll([...keys], attributes);
    return items.filter((item) => isActiveItem(item));
  }

  /** The token shows, after a lost answer, that the write was done. */
  async #write(jobId: string, attempt: number, { update, condition, values }: Guarded): Promise<Outcome> {
    const token = text(randomUUID());
    const outcome = await this.#table.update(jobItemKey(jobId), {
      update: update.replace('SET ', 'SET #lastWrite = :token, '),
      condition: `${condition} AND (attribute_not_exists(#lastWrite) OR #lastWrite <> :token)`,
      values: { ':token': token, ':attempt': number(attempt), ...valuesIn(update, condition), ...values },
    });
    return !outcome.held && outcome.old?.lastWrite?.S === token.S ? { held: true } : outcome;
  }

  #fenced({ update, condition, values }: Guarded): Guarded {
    if (this.#runner === undefined) return { update, condition, values };
    return { update, condition: `${condition} AND ${OWN}`, values: { ...values, ':runner': text(this.#runner) } };
  }

  /** Whether only lack of room prevented the write. */
  #isActive(item: Item | undefined, attempt: number): item is Item {
    if (item === undefined || item.attempt?.N !== String(attempt) || !isActiveItem(item)) return false;
    return this.#runner === undefined || item.runner?.S === this.#runner;
  }
}

const ENDING = '#endedAt = :at, #phase = :ended, #since = :at REMOVE #runner, #beat, #charge';

const isActiveItem = (item: Item): boolean => item.state?.S === 'started' || item.state?.S === 'running';

const appending = (events: readonly JobEvent[]): Guarded => ({
  update: 'SET #progress = list_append(#progress, :events)',
  condition: `${ACTIVE} AND size(#progress) <= :room`,
  values: { ':events': texts(events.map(packEvent)), ':room': number(MAX_EVENTS - events.length) },
});

const replacing = (length: number, entries: readonly JobEvent[]): Guarded => ({
  update: 'SET #progress = :events',
  condition: `${ACTIVE} AND size(#progress) = :length`,
  values: { ':events': texts(entries.map(packEvent)), ':length': number(length) },
});

const addJobs = (count: number) => ({ update: 'ADD #jobs :count', values: { ':count': number(count) } });

function packRequest(request: JobRequest) {
  const packed = packJson(request);
  if (packedBytes(packed) <= MAX_REQUEST_BYTES) return packed;
  throw new ServiceError({ reason: 'column_names_too_long' });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
