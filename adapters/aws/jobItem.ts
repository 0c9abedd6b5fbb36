import { z } from 'zod';
import { JOB_ERROR_CODES } from '../../domain/errors.ts';
import { JOB_STATES, type Job } from '../../domain/job/job.ts';
import { ITEMS, RECORDS } from '../../domain/job/recordNames.ts';
import type { JobMark } from '../../domain/ports.ts';
import { jobMetricsSchema } from '../../domain/schema/metrics.ts';
import { jobRequestSchema } from '../../domain/schema/sampleRequest.ts';
import { nothing, number, text, texts } from './attributes.ts';
import { unpackJson } from './packedJson.ts';
import type { Item } from './recordTable.ts';

export const PHASE = { active: 'active', ended: 'ended' } as const;

export const jobItemKey = (jobId: string): string => `${ITEMS.jobPrefix}${jobId}`;

const jobSchema = z.object({
  id: z.string(),
  keyId: z.string(),
  state: z.enum(JOB_STATES),
  attempt: z.int(),
  fileName: z.string(),
  fileBytes: z.int(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  request: jobRequestSchema.nullable(),
  progress: z.array(z.string()),
  metrics: jobMetricsSchema.nullable(),
  releasedAt: z.string().nullable(),
  error: z.object({ code: z.enum(JOB_ERROR_CODES), message: z.string() }).nullable(),
});

/** Where a job stands among those of its key. */
export const madeMark = ({ createdAt, id }: JobMark): string => `${createdAt}#${id}`;

/** The item of a job that was uploaded, less its key. */
export function itemOfNewJob(job: Pick<Job, 'id' | 'keyId' | 'fileName' | 'fileBytes' | 'createdAt'>): Item {
  return {
    [RECORDS.phase]: text(PHASE.ended),
    [RECORDS.since]: text(job.createdAt),
    [RECORDS.owner]: text(job.keyId),
    [RECORDS.made]: text(madeMark(job)),
    state: text('uploaded'),
    attempt: number(0),
    fileName: text(job.fileName),
    fileBytes: number(job.fileBytes),
    createdAt: text(job.createdAt),
    startedAt: nothing,
    endedAt: nothing,
    request: nothing,
    progress: texts([]),
    metrics: nothing,
    error: nothing,
  };
}

export function jobOfItem(item: Item): Job {
  return jobSchema.parse({
    id: item[RECORDS.partitionKey]?.S?.slice(ITEMS.jobPrefix.length),
    keyId: item.keyId?.S,
    state: item.state?.S,
    attempt: Number(item.attempt?.N),
    fileName: item.fileName?.S,
    fileBytes: Number(item.fileBytes?.N),
    createdAt: item.createdAt?.S,
    startedAt: item.startedAt?.S ?? null,
    endedAt: item.endedAt?.S ?? null,
    request: unpackJson(item.request),
    progress: progressOf(item),
    metrics: unpackJson(item.metrics),
    releasedAt: item.releasedAt?.S ?? null,
    error: unpackJson(item.error),
  });
}

export const progressOf = (item: Item): string[] => (item.progress?.L ?? []).map((line) => line.S ?? '');
