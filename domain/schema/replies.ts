/** What the service answers: the envelope and the `data` of every endpoint. */
import { z } from 'zod';
import { CALLBACK_STATES } from '../callback/callback.ts';
import { JOB_ERROR_CODES } from '../errors.ts';
import { JOB_STATES } from '../job/job.ts';
import { COLUMN_KINDS, columnProfileSchema } from '../profile/profile.ts';
import { relationSchema } from '../relations/relation.ts';
import { columnPictureSchema } from './columnPicture.ts';
import { estimateSchema } from './estimate.ts';
import { familyChoiceSchema } from './familyChoice.ts';
import { jobMetricsSchema } from './metrics.ts';
import { RELEASE_STATES } from './releasePolicy.ts';

/** Names of request fields that the service does not know; only there where the request had some. */
const requestWarnings = z
  .array(z.string())
  .optional()
  .meta({ description: 'Unknown request fields, which were ignored.' });

export const healthReplySchema = z.object({
  status: z.literal('ok'),
  gpu_available: z.boolean(),
  gpu_name: z.string().nullable(),
  active_jobs: z.int().meta({ description: 'Jobs started or running.' }),
  total_jobs: z.int().meta({ description: 'Jobs known to the service.' }),
  timestamp: z.iso.datetime({ offset: true }),
});

export const columnReportSchema = columnProfileSchema
  .pick({
    name: true,
    kind: true,
    confidence: true,
    suggested_role: true,
    evidence: true,
    runner_up: true,
    dress: true,
    missing: true,
    missing_tokens: true,
    distinct: true,
  })
  .extend({
    picture: columnPictureSchema
      .nullable()
      .meta({ description: 'What a small picture of the column is drawn from; null where nothing can be drawn.' }),
  });

export const uploadReplySchema = z.object({
  job_id: z.string(),
  columns: z.array(z.string()),
  col_types: z.record(z.string(), z.enum(COLUMN_KINDS)),
  n_rows: z.int(),
  warnings: z.array(z.string()),
  profile: z.object({ columns: z.array(columnReportSchema), relations: z.array(relationSchema) }),
});

export const detectFamilyReplySchema = familyChoiceSchema.extend({ warnings: requestWarnings });

export const generateReplySchema = z.object({
  status: z.literal('started'),
  job_id: z.string(),
  warnings: requestWarnings,
});

export const sampleReplySchema = z.object({
  status: z.literal('started'),
  job_id: z.string().meta({ description: 'Of the new rows.' }),
  sample_of: z.string().meta({ description: 'The job whose model makes them.' }),
  warnings: requestWarnings,
});

/** There where the rows of a job come from the model of another. */
const sampleOf = z.string().optional().meta({ description: 'The job whose model makes the rows, of a sample.' });

export const estimateReplySchema = estimateSchema.extend({ warnings: requestWarnings });

export const callbackReplySchema = z.object({
  state: z.enum(CALLBACK_STATES),
  tries: z.int().meta({ description: 'Calls made so far.' }),
  last_answer: z.string().nullable().meta({ description: 'What the last one met.' }),
  next_try_at: z.iso.datetime().nullable().meta({ description: 'When the next one may be made, where one failed.' }),
});

export const callbackSecretReplySchema = z.object({
  secret: z.string().meta({ description: '`whsec_` and the secret’s 32 bytes in base64.' }),
  algorithm: z.literal('HMAC-SHA256'),
});

export const statusReplySchema = z.object({
  job_id: z.string(),
  status: z.enum(JOB_STATES),
  sample_of: sampleOf,
  progress: z.array(z.string()),
  metrics: jobMetricsSchema.optional().meta({ description: 'There when the job is done.' }),
  release: z.enum(RELEASE_STATES).optional().meta({
    description: 'Whether the rows can be had; there when the job is done. `metrics.release` has the reasons.',
  }),
  callback: callbackReplySchema
    .optional()
    .meta({ description: 'How it stands with the call to `callback_url`; there where the request had one.' }),
  error: z
    .object({ code: z.enum(JOB_ERROR_CODES), message: z.string() })
    .nullable()
    .meta({ description: 'Why the job failed; null in every other state.' }),
});

export const listedJobSchema = z.object({
  job_id: z.string(),
  status: z.enum(JOB_STATES),
  sample_of: sampleOf,
  file_name: z.string(),
  file_bytes: z.int(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  /** The latest line of progress. */
  progress: z.string().nullable(),
  rows_generated: z.int().nullable(),
  error: z.object({ code: z.enum(JOB_ERROR_CODES), message: z.string() }).nullable(),
});

export const jobsReplySchema = z.object({
  jobs: z.array(listedJobSchema).meta({ description: 'The newest first.' }),
  next: z
    .string()
    .nullable()
    .meta({ description: 'Send it as `after` for the jobs behind these; null where there are no more.' }),
});

export const eraseReplySchema = z.object({ job_id: z.string(), status: z.literal('erased') });

export const errorSchema = z.object({ message: z.string(), code: z.string() });

export const successEnvelope = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), data, error: z.null() });

export const failureEnvelope = z.object({ success: z.literal(false), data: z.null(), error: errorSchema });

export type HealthReply = z.infer<typeof healthReplySchema>;
export type UploadReply = z.infer<typeof uploadReplySchema>;
export type DetectFamilyReply = z.infer<typeof detectFamilyReplySchema>;
export type GenerateReply = z.infer<typeof generateReplySchema>;
export type SampleReply = z.infer<typeof sampleReplySchema>;
export type EstimateReply = z.infer<typeof estimateReplySchema>;
export type StatusReply = z.infer<typeof statusReplySchema>;
export type JobsReply = z.infer<typeof jobsReplySchema>;
export type CallbackSecretReply = z.infer<typeof callbackSecretReplySchema>;
export type EraseReply = z.infer<typeof eraseReplySchema>;
