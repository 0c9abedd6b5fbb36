import { z } from 'zod';
import {
  COLUMN_KINDS,
  columnPictureSchema,
  columnProfileSchema,
  PREVIEW,
  previewSchema,
  relationSchema,
  suggestedEntitySchema,
  suggestedTargetSchema,
} from './columns.ts';
import { jobEventSchema } from './events.ts';
import { familyChoiceSchema } from './families.ts';
import { jobMetricsSchema } from './metrics.ts';
import { privacyCostSchema, privacySpentSchema } from './privacy.ts';
import { saltSchema } from './receipt.ts';
import { BOUNDS, jobRequestSchema } from './requests.ts';
import { CALLBACK_STATES, errorSchema, JOB_STATES, jobErrorSchema, RELEASE_STATES } from './states.ts';

const STAGES = ['start', 'sequences', 'categories', 'numbers', 'target', 'text', 'metrics', 'write'] as const;
export type Stage = (typeof STAGES)[number];

const seconds = z.number().min(0);

const spanSchema = z.object({ expected: seconds, low: seconds, high: seconds });
const timeSchema = spanSchema.meta({
  description:
    'Seconds from start to end on this machine if it is otherwise idle; on rented machines, with two cores. Most jobs take between `low` and `high`.',
});
const cpuSchema = spanSchema.meta({
  description: 'CPU seconds of the job over all cores; other work on the machine changes them little.',
});

const within = ({ min, max }: { min: number; max: number }) => z.int().min(min).max(max).optional();

const costSchema = z
  .object({ usd: z.number().min(0), assumes: z.string() })
  .nullable()
  .meta({
    description:
      'Cost of the machine and the requests in US dollars, with the assumptions; null on the operator’s own machine.',
  });

const cheaperPlanSchema = z.object({
  seconds: timeSchema,
  cpu_seconds: cpuSchema,
  cost: costSchema,
  fields: z
    .object({
      draws: within(BOUNDS.draws),
      tune: within(BOUNDS.tune),
      n_samples: within(BOUNDS.n_samples),
      text_epochs: within(BOUNDS.text_epochs),
    })
    .meta({ description: 'Fields that replace those of the request.' }),
  tradeoffs: z.array(z.string()).meta({ description: 'What this plan costs in quality or size.' }),
});

export const estimateSchema = z.object({
  seconds: timeSchema,
  cpu_seconds: cpuSchema,
  memory_mb: z.int().meta({ description: 'Approximate peak memory of the job, in MB.' }),
  cost: costSchema,
  stages: z.array(z.object({ stage: z.enum(STAGES), seconds, cpu_seconds: seconds, why: z.string() })).meta({
    description: 'Time and CPU seconds by stage, in order; only stages of this job.',
  }),
  privacy: privacyCostSchema.exactOptional().meta({
    description: 'For a request with `privacy`: its cost in budget and fidelity.',
  }),
  cheaper: cheaperPlanSchema
    .nullable()
    .meta({ description: 'A faster plan; null if none saves at least a fifth of the time.' }),
});

export type Span = z.infer<typeof spanSchema>;
export type Cost = z.infer<typeof costSchema>;
export type CheaperPlan = z.infer<typeof cheaperPlanSchema>;
export type Estimate = z.infer<typeof estimateSchema>;

const requestWarnings = z
  .array(z.string())
  .optional()
  .meta({ description: 'Unknown request fields, which were ignored.' });

export const healthReplySchema = z.object({
  status: z.literal('ok'),
  gpu_available: z.boolean(),
  gpu_name: z.string().nullable(),
  active_jobs: z.int().meta({ description: 'Jobs started or running.' }),
  total_jobs: z.int().meta({ description: 'All jobs of the service.' }),
  timestamp: z.iso.datetime({ offset: true }),
});

const columnReportSchema = columnProfileSchema
  .pick({
    name: true,
    kind: true,
    confidence: true,
    suggested_role: true,
    evidence: true,
    runner_up: true,
    format: true,
    missing: true,
    missing_tokens: true,
    distinct: true,
    key: true,
  })
  .extend({
    picture: columnPictureSchema
      .nullable()
      .meta({ description: 'Data for a small chart of the column; null if there is nothing to draw.' }),
  });

export const uploadReplySchema = z.object({
  job_id: z.string(),
  columns: z.array(z.string()),
  col_types: z.record(z.string(), z.enum(COLUMN_KINDS)),
  n_rows: z.int(),
  warnings: z.array(z.string()),
  preview: previewSchema.optional().meta({
    description: `The first ${PREVIEW.rows} rows, in the order of \`columns\`: cells as in the file, cut to ${PREVIEW.characters} characters, null if missing. Absent for uploads of earlier versions.`,
  }),
  suggested_target: suggestedTargetSchema.nullish().meta({
    description:
      'A column to use as the target, and why; null if none is sensible and the table is generated without a target. Absent for uploads of earlier versions.',
  }),
  suggested_entity: suggestedEntitySchema.nullish().meta({
    description:
      'Columns to use as `entity_col` and `order_col`, if several rows belong to one person or thing; null if every row is separate. Absent for uploads of earlier versions.',
  }),
  profile: z.object({ columns: z.array(columnReportSchema), relations: z.array(relationSchema) }),
});

export const detectFamilyReplySchema = familyChoiceSchema.extend({ warnings: requestWarnings });

const startedSchema = z.enum(['started', 'queued']).meta({
  description: '`queued` only if the request has `queue: true` and no slot is free; the job then starts in its turn.',
});
export type Started = z.infer<typeof startedSchema>;

export const generateReplySchema = z.object({
  status: startedSchema,
  job_id: z.string(),
  warnings: requestWarnings.meta({
    description:
      'Unknown request fields, which were ignored; columns with keys, for which new ones are generated; rows already used for earlier private tables.',
  }),
  privacy: privacySpentSchema.exactOptional().meta({
    description: 'For a request with `privacy`: the budget spent by this key’s private tables of the same table.',
  }),
});

export const sampleReplySchema = z.object({
  status: startedSchema,
  job_id: z.string().meta({ description: 'The job of the new rows.' }),
  sample_of: z.string().meta({ description: 'The job whose model draws them.' }),
  warnings: requestWarnings,
});

export const compareReplySchema = z.object({
  status: startedSchema,
  job_id: z.string().meta({ description: 'The comparison: the job of the synthetic table’s upload.' }),
  compared_with: z.string().meta({ description: 'The job of the real table.' }),
  warnings: requestWarnings,
});

const comparedWith = z.string().optional().meta({ description: 'For a comparison, the job of the real table.' });

const sampleOf = z.string().optional().meta({ description: 'For a sample, the job whose model draws its rows.' });

export const estimateReplySchema = estimateSchema.extend({ warnings: requestWarnings });

export const queuePlaceSchema = z.object({
  position: z.int().min(1).meta({ description: 'The next to start is 1.' }),
  seconds: z.int().nullable().meta({
    description: 'Expected wait, from the estimates of running and earlier jobs; null if unknown.',
  }),
});
export type QueuePlace = z.infer<typeof queuePlaceSchema>;

const callbackReplySchema = z.object({
  state: z.enum(CALLBACK_STATES),
  tries: z.int().meta({ description: 'Number of calls so far.' }),
  last_answer: z.string().nullable().meta({ description: 'The outcome of the last call.' }),
  next_try_at: z.iso.datetime().nullable().meta({ description: 'After a failed call, the time of the next one.' }),
});

export const callbackSecretReplySchema = z.object({
  secret: z.string().meta({ description: '`whsec_` and the secret’s 32 bytes in base64.' }),
  algorithm: z.literal('HMAC-SHA256'),
});

export const statusReplySchema = z.object({
  job_id: z.string(),
  status: z.enum(JOB_STATES),
  file_name: z.string().optional().meta({ description: 'Name of the uploaded file.' }),
  sample_of: sampleOf,
  compared_with: comparedWith,
  holdout_job_id: z
    .string()
    .optional()
    .meta({ description: 'For a comparison, the job of the held-out rows, if any.' }),
  request: jobRequestSchema.omit({ job_id: true, sample_of: true, compared_with: true }).optional().meta({
    description:
      'The latest request, with defaults and seed filled in; absent before the first start. POST /generate accepts it with a job_id.',
  }),
  queue: queuePlaceSchema.optional().meta({ description: 'The place of a job that is queued.' }),
  progress: z.array(z.string()).meta({ description: 'What the job has done, one line of text per step.' }),
  events: z.array(jobEventSchema).meta({ description: 'The same steps as data.' }),
  metrics: jobMetricsSchema.optional().meta({ description: 'Present when the job is done.' }),
  release: z.enum(RELEASE_STATES).optional().meta({
    description: 'Whether the rows are released; present when the job is done. `metrics.release` has the reasons.',
  }),
  input_salt: saltSchema.optional().meta({
    description:
      'The salt of `input.commitment` in the receipt, which is the SHA-256 of these 32 bytes followed by the upload. Keep it secret: with it, guesses of the upload can be checked against the receipt.',
  }),
  callback: callbackReplySchema
    .optional()
    .meta({ description: 'State of the calls to `callback_url`; present if the request had one.' }),
  error: jobErrorSchema.nullable().meta({ description: 'Why the job failed; null in every other state.' }),
});

const listedJobSchema = z.object({
  job_id: z.string(),
  status: z.enum(JOB_STATES),
  sample_of: sampleOf,
  compared_with: comparedWith,
  file_name: z.string(),
  file_bytes: z.int(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  progress: z.string().nullable().meta({ description: 'The latest line of progress.' }),
  event: jobEventSchema.nullable().meta({ description: 'The same as data.' }),
  rows_generated: z.int().nullable(),
  figures_for_owner: z.literal(true).optional().meta({
    description:
      'Present for a job with `privacy`: `file_bytes`, `progress`, `event` and `error` may reveal its real rows and are only for the owner of the file.',
  }),
  error: jobErrorSchema.nullable(),
});

export const jobsReplySchema = z.object({
  jobs: z.array(listedJobSchema).meta({ description: 'Newest first.' }),
  next: z.string().nullable().meta({ description: 'Send it as `after` to get the next page; null on the last page.' }),
});

export const eraseReplySchema = z.object({ job_id: z.string(), status: z.literal('erased') });

export const successEnvelope = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), data, error: z.null() });

export const failureEnvelope = z.object({ success: z.literal(false), data: z.null(), error: errorSchema });

/** Reply of GET /health. GET /api-docs of the service describes the fields of all replies. */
export type HealthReply = z.infer<typeof healthReplySchema>;
/** Reply of POST /upload: columns, suggested roles and warnings. */
export type UploadReply = z.infer<typeof uploadReplySchema>;
/** Reply of POST /detect_family: the family for a target, and warnings. */
export type DetectFamilyReply = z.infer<typeof detectFamilyReplySchema>;
/** Reply of POST /generate. */
export type GenerateReply = z.infer<typeof generateReplySchema>;
/** Reply of POST /sample: the job that draws the rows. */
export type SampleReply = z.infer<typeof sampleReplySchema>;
/** Reply of POST /compare: the job that checks the table. */
export type CompareReply = z.infer<typeof compareReplySchema>;
/** Reply of POST /estimate: time and memory. */
export type EstimateReply = z.infer<typeof estimateReplySchema>;
/** Reply of GET /status: progress, metrics or error. */
export type StatusReply = z.infer<typeof statusReplySchema>;
export type ListedJob = z.infer<typeof listedJobSchema>;
/** Reply of GET /jobs: a page of jobs. */
export type JobsReply = z.infer<typeof jobsReplySchema>;
/** Reply of GET /callback-secret. */
export type CallbackSecretReply = z.infer<typeof callbackSecretReplySchema>;
/** Reply of DELETE /jobs. */
export type EraseReply = z.infer<typeof eraseReplySchema>;
