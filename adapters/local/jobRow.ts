import { z } from 'zod';
import { progressSchema } from '../../packages/contract/events.ts';
import { jobMetricsSchema } from '../../packages/contract/metrics.ts';
import { jobReceiptSchema } from '../../packages/contract/receipt.ts';
import { jobRequestSchema } from '../../packages/contract/requests.ts';
import { JOB_STATES, jobFailureSchema } from '../../packages/contract/states.ts';
import { type Job, jobEstimateSchema } from '../../service/job/job.ts';
import type { QueuedJob } from '../../service/ports.ts';

const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);

export const queuedSchema = z
  .object({
    id: z.string(),
    attempt: z.int(),
    key_id: z.string(),
    queued_at: z.string(),
    estimate: json(jobEstimateSchema),
  })
  .transform(
    ({ id: jobId, key_id: keyId, queued_at: queuedAt, ...rest }): QueuedJob => ({ jobId, keyId, queuedAt, ...rest }),
  );

const rowSchema = z.object({
  id: z.string(),
  key_id: z.string(),
  state: z.enum(JOB_STATES),
  attempt: z.int(),
  file_name: z.string(),
  file_bytes: z.int(),
  file_sha256: z.string(),
  created_at: z.string(),
  queued_at: z.string().nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  request: json(jobRequestSchema).nullable(),
  estimate: json(jobEstimateSchema).nullable(),
  progress: json(progressSchema),
  metrics: json(jobMetricsSchema).nullable(),
  receipt: json(jobReceiptSchema).nullable(),
  released_at: z.string().nullable(),
  error: json(jobFailureSchema).nullable(),
});

export function jobOfRow(row: unknown): Job {
  const parsed = rowSchema.parse(row);
  return {
    id: parsed.id,
    keyId: parsed.key_id,
    state: parsed.state,
    attempt: parsed.attempt,
    fileName: parsed.file_name,
    fileBytes: parsed.file_bytes,
    fileSha256: parsed.file_sha256,
    createdAt: parsed.created_at,
    queuedAt: parsed.queued_at,
    startedAt: parsed.started_at,
    endedAt: parsed.ended_at,
    request: parsed.request,
    estimate: parsed.estimate,
    progress: parsed.progress,
    metrics: parsed.metrics,
    receipt: parsed.receipt,
    releasedAt: parsed.released_at,
    error: parsed.error,
  };
}
