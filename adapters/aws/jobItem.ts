import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fromStore } from '../../packages/contract/errors.ts';
import { type JobEvent, progressSchema } from '../../packages/contract/events.ts';
import { jobMetricsSchema } from '../../packages/contract/metrics.ts';
import { jobReceiptSchema } from '../../packages/contract/receipt.ts';
import { jobRequestSchema } from '../../packages/contract/requests.ts';
import { JOB_STATES, jobFailureSchema } from '../../packages/contract/states.ts';
import { type Job, jobEstimateSchema, jobOfSlot, type NewJob } from '../../service/job/job.ts';
import type { JobMark } from '../../service/ports.ts';
import { ITEMS, RECORDS } from './names.ts';
import {
  type Item,
  NOT_ACTIVE,
  nothing,
  number,
  type RecordTable,
  setOf,
  text,
  texts,
  unpackJson,
  valuesIn,
} from './recordTable.ts';

export const PHASE = { active: 'active', ended: 'ended' } as const;

export const jobItemKey = (jobId: string): string => `${ITEMS.jobPrefix}${jobId}`;

const jobSchema = z.object({
  id: z.string(),
  keyId: z.string(),
  state: z.enum(JOB_STATES),
  attempt: z.int(),
  fileName: z.string(),
  fileBytes: z.int(),
  fileSha256: z.string(),
  createdAt: z.string(),
  queuedAt: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  request: jobRequestSchema.nullable(),
  estimate: jobEstimateSchema.nullable(),
  progress: progressSchema,
  metrics: jobMetricsSchema.nullable(),
  receipt: jobReceiptSchema.nullable(),
  releasedAt: z.string().nullable(),
  error: jobFailureSchema.nullable(),
});

/** Sort key within the jobs of a key. */
export const madeMark = ({ createdAt, id }: JobMark): string => `${createdAt}#${id}`;

export function itemOfNewJob(job: NewJob): Item {
  return {
    [RECORDS.phase]: text(PHASE.ended),
    [RECORDS.since]: text(job.createdAt),
    [RECORDS.owner]: text(job.keyId),
    [RECORDS.made]: text(madeMark(job)),
    state: text('uploaded'),
    attempt: number(0),
    fileName: text(job.fileName),
    fileBytes: number(job.fileBytes),
    fileSha256: text(job.fileSha256),
    createdAt: text(job.createdAt),
    startedAt: nothing,
    endedAt: nothing,
    request: nothing,
    progress: texts([]),
    metrics: nothing,
    receipt: nothing,
    error: nothing,
  };
}

export const jobOfItem = (item: Item): Job => fromStore(() => parsedJob(item));

function parsedJob(item: Item): Job {
  return jobSchema.parse({
    id: item[RECORDS.partitionKey]?.S?.slice(ITEMS.jobPrefix.length),
    keyId: item.keyId?.S,
    state: item.state?.S,
    attempt: Number(item.attempt?.N),
    fileName: item.fileName?.S,
    fileBytes: Number(item.fileBytes?.N),
    fileSha256: item.fileSha256?.S,
    createdAt: item.createdAt?.S,
    queuedAt: item.queuedAt?.S ?? null,
    startedAt: item.startedAt?.S ?? null,
    endedAt: item.endedAt?.S ?? null,
    request: unpackJson(item.request),
    estimate: unpackJson(item.estimate),
    progress: progressOf(item),
    metrics: unpackJson(item.metrics),
    receipt: unpackJson(item.receipt),
    releasedAt: item.releasedAt?.S ?? null,
    error: unpackJson(item.error),
  });
}

/** Events are JSON; lines of version 0.1 are text. */
export const progressOf = (item: Item): JobEvent[] =>
  progressSchema.parse((item.progress?.L ?? []).map(({ S = '' }) => parsed(S)));

export const packEvent = (event: JobEvent): string => JSON.stringify(event);

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

// One set of names, and the time and caller of each.

const FREE = '(attribute_not_exists(#running) OR size(#running) < :limit) AND NOT contains(#running, :name)';

export const HAS_SLOT = 'contains(#running, :name)';

const takenName = (slot: string): string => `taken ${slot}`;

export class SlotSet {
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  async take(slot: string, limit: number): Promise<'taken' | 'held' | 'full'> {
    const token = randomBytes(6).toString('base64url');
    const outcome = await this.#table.update(ITEMS.slots, {
      update: 'ADD #running :set SET #taken = :taken',
      condition: FREE,
      values: {
        ':set': setOf(slot),
        ':name': text(slot),
        ':limit': number(limit),
        ':taken': { M: { at: text(new Date().toISOString()), by: text(token) } },
      },
      names: { '#taken': takenName(slot) },
    });
    if (outcome.held || outcome.old?.[takenName(slot)]?.M?.by?.S === token) return 'taken';
    return outcome.old?.running?.SS?.includes(slot) ? 'held' : 'full';
  }

  /** The transaction requires that the attempt is not active. */
  async free(slot: string): Promise<void> {
    const { jobId, attempt } = jobOfSlot(slot);
    await this.#table.transact([
      this.#table.checkOf(jobItemKey(jobId), {
        condition: NOT_ACTIVE,
        values: { ':attempt': number(attempt), ...valuesIn(NOT_ACTIVE) },
      }),
      this.#table.updateOf(ITEMS.slots, {
        update: 'DELETE #running :set REMOVE #taken',
        values: { ':set': setOf(slot) },
        names: { '#taken': takenName(slot) },
      }),
    ]);
  }

  async names(): Promise<string[]> {
    return [...(await this.times()).keys()].sort();
  }

  /** Milliseconds, by the taker's clock. */
  async times(): Promise<Map<string, number>> {
    const item = await this.#table.get(ITEMS.slots);
    const slots = item?.running?.SS ?? [];
    return new Map(slots.map((slot) => [slot, Date.parse(item?.[takenName(slot)]?.M?.at?.S ?? '')]));
  }
}
