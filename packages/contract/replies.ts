/** What the service answers: the envelope and the `data` of every endpoint. */
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

// What POST /estimate answers: what a job would take, before it is started.

/** The stages of a job, in their order. */
const STAGES = ['start', 'sequences', 'categories', 'numbers', 'target', 'text', 'metrics', 'write'] as const;
export type Stage = (typeof STAGES)[number];

const seconds = z.number().min(0);

const spanSchema = z.object({ expected: seconds, low: seconds, high: seconds });
const timeSchema = spanSchema.meta({
  description:
    'Seconds from start to end on this machine with nothing else to do, by its cores and their speed; on rented machines, on two cores. Most jobs take between `low` and `high`.',
});
const cpuSchema = spanSchema.meta({
  description: 'CPU seconds of the job, over all cores; what others do on the machine changes them little.',
});

const within = ({ min, max }: { min: number; max: number }) => z.int().min(min).max(max).optional();

const costSchema = z
  .object({ usd: z.number().min(0), assumes: z.string() })
  .nullable()
  .meta({
    description:
      'Cost of the machine and the requests in US dollars, and the assumptions; null on the operator’s own machine.',
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
    .meta({ description: 'Fields to send in place of those of the request.' }),
  tradeoffs: z.array(z.string()).meta({ description: 'What this plan costs in quality or size.' }),
});

export const estimateSchema = z.object({
  seconds: timeSchema,
  cpu_seconds: cpuSchema,
  memory_mb: z.int().meta({ description: 'Approximate peak memory of the job, in MB.' }),
  cost: costSchema,
  stages: z.array(z.object({ stage: z.enum(STAGES), seconds, cpu_seconds: seconds, why: z.string() })).meta({
    description:
      'Time and CPU seconds by stage, in the order of the job; stages that the job does not have are left out.',
  }),
  privacy: privacyCostSchema.exactOptional().meta({
    description: 'For a request with `privacy`: what it costs in budget and in fidelity.',
  }),
  cheaper: cheaperPlanSchema
    .nullable()
    .meta({ description: 'A plan that takes less time; null if none takes at least a fifth less.' }),
});

export type Span = z.infer<typeof spanSchema>;
export type Cost = z.infer<typeof costSchema>;
export type CheaperPlan = z.infer<typeof cheaperPlanSchema>;
export type Estimate = z.infer<typeof estimateSchema>;

// All other endpoints.

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
    description: `The first ${PREVIEW.rows} rows, in the order of \`columns\`: cells as in the file, cut to ${PREVIEW.characters} characters, null where one is missing. Left out for uploads of earlier versions.`,
  }),
  suggested_target: suggestedTargetSchema.nullish().meta({
    description:
      'The column to take as the target, and why; null where none is sensible, so that the table is made without one. Left out for uploads of earlier versions.',
  }),
  suggested_entity: suggestedEntitySchema.nullish().meta({
    description:
      'The key whose rows belong together, to take as `entity_col`, with the column to take as `order_col`; null where each row stands alone. Left out for uploads of earlier versions.',
  }),
  profile: z.object({ columns: z.array(columnReportSchema), relations: z.array(relationSchema) }),
});

export const detectFamilyReplySchema = familyChoiceSchema.extend({ warnings: requestWarnings });

/** What a start comes to. */
const startedSchema = z.enum(['started', 'queued']).meta({
  description:
    '`queued` only if the request has `queue: true` and no slot is free: the job starts when it is its turn.',
});
export type Started = z.infer<typeof startedSchema>;

export const generateReplySchema = z.object({
  status: startedSchema,
  job_id: z.string(),
  warnings: requestWarnings.meta({
    description:
      'Unknown request fields, which were ignored; columns of keys, for which new ones are generated; rows that earlier private tables were made from.',
  }),
  privacy: privacySpentSchema.exactOptional().meta({
    description: 'For a request with `privacy`: what private tables that this key made of the same table have spent.',
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

/** There where a job judges a table that was made elsewhere. */
const comparedWith = z.string().optional().meta({ description: 'For a comparison, the job of the real table.' });

/** There where the rows of a job come from the model of another. */
const sampleOf = z.string().optional().meta({ description: 'For a sample, the job whose model draws its rows.' });

export const estimateReplySchema = estimateSchema.extend({ warnings: requestWarnings });

/** Where a job that waits stands. */
export const queuePlaceSchema = z.object({
  position: z.int().min(1).meta({ description: 'The next to start is 1.' }),
  seconds: z.int().nullable().meta({
    description:
      'Expected wait, from the estimates of the jobs that run and of those before it; null if it is not known.',
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
      'What the latest start asked for, its defaults and its seed filled in; absent before the first. POST /generate takes it with a job_id.',
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
      'The salt of `input.commitment` in the receipt: SHA-256 of these 32 bytes and then of the upload. Whoever has it can try guesses of the upload against the receipt; keep it to yourself.',
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
      'Present for a job with `privacy`: `file_bytes`, `progress`, `event` and `error` may tell of its real rows and are for the owner of the file alone.',
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

/** What GET /health answers. The fields of this and of every other answer are in GET /api-docs of the service. */
export type HealthReply = z.infer<typeof healthReplySchema>;
/** What POST /upload answers: the job, its columns with their types and suggested roles, and warnings. */
export type UploadReply = z.infer<typeof uploadReplySchema>;
/** What POST /detect_family answers: the family for a target, and warnings. */
export type DetectFamilyReply = z.infer<typeof detectFamilyReplySchema>;
/** What POST /generate answers once a job is started. */
export type GenerateReply = z.infer<typeof generateReplySchema>;
/** What POST /sample answers: the job that draws the rows. */
export type SampleReply = z.infer<typeof sampleReplySchema>;
/** What POST /compare answers: the job that judges the table. */
export type CompareReply = z.infer<typeof compareReplySchema>;
/** What POST /estimate answers: seconds, memory, and where they go. */
export type EstimateReply = z.infer<typeof estimateReplySchema>;
/** What GET /status answers: how far a job is, and its metrics or its error. */
export type StatusReply = z.infer<typeof statusReplySchema>;
export type ListedJob = z.infer<typeof listedJobSchema>;
/** What GET /jobs answers: a page of jobs, and where the next one begins. */
export type JobsReply = z.infer<typeof jobsReplySchema>;
/** What GET /callback-secret answers. */
export type CallbackSecretReply = z.infer<typeof callbackSecretReplySchema>;
/** What DELETE /jobs answers. */
export type EraseReply = z.infer<typeof eraseReplySchema>;
