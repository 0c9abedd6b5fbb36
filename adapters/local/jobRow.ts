import { z } from 'zod';
import { JOB_ERROR_CODES } from '../../domain/errors.ts';
import { JOB_STATES, type Job } from '../../domain/job/job.ts';
import { jobMetricsSchema } from '../../domain/schema/metrics.ts';
import { jobRequestSchema } from '../../domain/schema/sampleRequest.ts';

/** A column that holds JSON text, parsed and checked. */
const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);

const rowSchema = z.object({
  id: z.string(),
  key_id: z.string(),
  state: z.enum(JOB_STATES),
  attempt: z.int(),
  file_name: z.string(),
  file_bytes: z.int(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  request: json(jobRequestSchema).nullable(),
  progress: json(z.array(z.string())),
  metrics: json(jobMetricsSchema).nullable(),
  released_at: z.string().nullable(),
  error: json(z.object({ code: z.enum(JOB_ERROR_CODES), message: z.string() })).nullable(),
});

/** A row of the table `jobs` as a job. */
export function jobOfRow(row: unknown): Job {
  const parsed = rowSchema.parse(row);
  return {
    id: parsed.id,
    keyId: parsed.key_id,
    state: parsed.state,
    attempt: parsed.attempt,
    fileName: parsed.file_name,
    fileBytes: parsed.file_bytes,
    createdAt: parsed.created_at,
    startedAt: parsed.started_at,
    endedAt: parsed.ended_at,
    request: parsed.request,
    progress: parsed.progress,
    metrics: parsed.metrics,
    releasedAt: parsed.released_at,
    error: parsed.error,
  };
}
