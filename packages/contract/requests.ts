import { z } from 'zod';
import { SAMPLERS } from '../numerics/regression/samplers.ts';
import { conditionsSchema } from './conditions.ts';
import { TARGET_FAMILIES } from './families.ts';
import { ENCODINGS, type Encoding, encodingOf } from './files.ts';
import { domainSchema, privacySchema } from './privacy.ts';
import { MIN_REAL_ROWS, releasePolicySchema } from './releasePolicy.ts';

export const BOUNDS = {
  n_samples: { min: 1, max: 1_000_000, default: 3000 },
  n_entities: { min: 1, max: 1_000_000 },
  draws: { min: 100, max: 10_000, default: 1000 },
  tune: { min: 100, max: 10_000, default: 1000 },
  text_epochs: { min: 1, max: 100, default: 3 },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER },
} as const;

/** Sampling of the language model; not only integers. */
export const SAMPLING_BOUNDS = {
  text_temperature: { min: 0.1, max: 2, default: 1 },
  text_nucleus: { min: 0.1, max: 1, default: 0.95 },
} as const;

/** Uses one message for every violation, so that clients see the rule once. */
function wholeNumber(bounds: { min: number; max: number }) {
  const error = `must be a whole number from ${bounds.min} to ${bounds.max}`;
  return z.int({ error }).min(bounds.min, { error }).max(bounds.max, { error });
}

const boundedInteger = (bounds: { min: number; max: number; default: number }, description: string) =>
  wholeNumber(bounds)
    .nullish()
    .transform((value) => value ?? bounds.default)
    .meta({ description: `${description} ${bounds.default} by default.` });

const boundedNumber = (bounds: { min: number; max: number; default: number }, description: string) => {
  const error = `must be a number from ${bounds.min} to ${bounds.max}`;
  return z
    .number({ error })
    .min(bounds.min, { error })
    .max(bounds.max, { error })
    .nullish()
    .transform((value) => value ?? bounds.default)
    .meta({ description: `${description} ${bounds.default} by default.` });
};

const columnList = (description: string) =>
  z
    .array(z.string({ error: 'must be a column name (a string)' }), { error: 'must be an array of column names' })
    .nullish()
    .transform((value) => value ?? [])
    .meta({ description });

const columnName = (description: string) =>
  z
    .string({ error: 'must be a column name (a string)' })
    .nullish()
    .transform((value) => value ?? null)
    .meta({ description });

const FAMILY_NAMES = ['auto', ...TARGET_FAMILIES] as const;

export const jobIdSchema = z.string().min(1).meta({ description: 'The job id that POST /upload returned.' });

export const generateRequestSchema = z.object({
  job_id: jobIdSchema,
  target_col: z
    .string({ error: 'must be a column name (a string)' })
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'The column to predict: numbers, or a category of 2 to 20 levels. Leave it out to generate text only.',
    }),
  target: z
    .enum(['auto', 'none'], { error: 'must be "auto" or "none"' })
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'Without target_col: `none` generates the other columns without a target; `auto` uses the target that POST /upload suggests, if any and if it is in no other list.',
    }),
  continuous_cols: columnList('Other numeric columns, and dates or times.'),
  categorical_cols: columnList('Categorical columns.'),
  text_cols: columnList('Free-text columns.'),
  entity_col: columnName(
    'The ID column if persons or things have several rows each, such as a customer number. Their rows are generated together as a sequence, with new IDs. It must be in no other list.',
  ),
  order_col: columnName(
    'With entity_col: the column with numbers, dates or times that orders the rows of an entity; by default, the order of the file. It may be in another list.',
  ),
  n_samples: boundedInteger(
    BOUNDS.n_samples,
    'Number of rows to generate. With entity_col, whole entities are generated up to this number.',
  ),
  n_entities: wholeNumber(BOUNDS.n_entities)
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description: 'With entity_col, instead of n_samples: the number of entities to generate, with all rows of each.',
    }),
  draws: boundedInteger(BOUNDS.draws, 'Posterior draws per chain.'),
  tune: boundedInteger(
    BOUNDS.tune,
    'Warm-up steps per chain, in which the sampler adapts. At most 200 if the curvature at the mode is known (except on a rerun).',
  ),
  family: z
    .enum(FAMILY_NAMES, { error: `must be one of ${FAMILY_NAMES.join(', ')}` })
    .nullish()
    .transform((value) => value ?? ('auto' as const))
    .meta({
      description:
        'Distribution family of the target; auto by default, see POST /detect_family. For a category: bernoulli (two levels) or categorical; categorical also treats numbers as labels.',
    }),
  sampler: z
    .enum(SAMPLERS, { error: `must be one of ${SAMPLERS.join(', ')}` })
    .nullish()
    .transform((value) => value ?? ('auto' as const))
    .meta({
      description:
        'Sampling method of the target. `auto` (default): full sampling with the no-U-turn sampler where feasible. `nuts`: always full sampling over all rows; may be slow. `approximate`: fast; falls back to sampling if a check fails.',
    }),
  calibrate: z
    .boolean({ error: 'must be true or false' })
    .nullish()
    .transform((value) => value ?? true)
    .meta({
      description:
        'Whether the synthetic target matches the distribution of the real column, including repeated values, or the shares of its levels. True by default. With false, the raw posterior predictive draws are written in the format of the column; they can lie outside its range and do not reproduce its repeated values.',
    }),
  text_epochs: boundedInteger(BOUNDS.text_epochs, 'Epochs: passes of the language model over the texts.'),
  text_temperature: boundedNumber(
    SAMPLING_BOUNDS.text_temperature,
    'Sampling temperature of texts: below 1 they are more regular, above 1 they vary more.',
  ),
  text_nucleus: boundedNumber(
    SAMPLING_BOUNDS.text_nucleus,
    'Top-p of texts: each next token is drawn from the most likely ones that together have this probability.',
  ),
  keep_rare: z
    .boolean({ error: 'must be true or false' })
    .nullish()
    .transform((value) => value ?? false)
    .meta({
      description:
        'Whether to keep rare categories and extreme numbers, which can identify a person. By default, rare categories are replaced by others of the column, and numbers are limited to a range with at least five rows at or beyond each end.',
    }),
  cross_fit: z
    .boolean({ error: 'must be true or false' })
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'Whether attacks are cross-fitted: models are fitted five more times, each time without a fifth of the rows, and attacked with that fifth, so that all rows contribute. By default, this is done if few rows are held out and it takes less than a third of the job. The table is the same either way.',
    }),
  allow_few_rows: z
    .boolean({ error: 'must be true or false' })
    .nullish()
    .transform((value) => value ?? false)
    .meta({
      description: `Whether an upload of fewer than ${MIN_REAL_ROWS} rows is accepted. The synthetic rows are then withheld (403) until they are released.`,
    }),
  conditions: conditionsSchema,
  policy: releasePolicySchema
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'The release policy. Rows that break it are redrawn; if the table still breaks it, its rows are withheld (403) until POST /jobs/{job_id}/release. For each rule, the stricter of this policy and the operator’s applies.',
    }),
  privacy: privacySchema.nullable().exactOptional(),
  domain: domainSchema.nullable().exactOptional(),
  seed: wholeNumber(BOUNDS.seed)
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'The same file, request, seed and version give a byte-identical result. By default, a seed is chosen and recorded.',
    }),
});

const queueSchema = z
  .boolean({ error: 'must be true or false' })
  .nullish()
  .transform((value) => value ?? false)
  .meta({
    description:
      'Whether the job waits if no slot is free (`status` is then `queued`). By default, the request is refused with 429.',
  });

/** How a job starts does not affect its table, so receipts omit it. */
export const startRequestSchema = generateRequestSchema.extend({
  queue: queueSchema,
  callback_url: z
    .string({ error: 'must be an address (a string)' })
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'A public https address that gets a signed POST when the job ends (GET /callback-secret returns the secret). GET /status reports the calls.',
    }),
});

/** Body of POST /generate and POST /estimate; fields with defaults are optional. */
export type GenerateRequestBody = z.input<typeof startRequestSchema>;

/** A request with all defaults. */
export type GenerateRequest = z.output<typeof generateRequestSchema>;

export const tableRequestSchema = generateRequestSchema.omit({ job_id: true });
/** Body of POST /generate without `job_id`. */
export type TableRequestBody = z.input<typeof tableRequestSchema>;
export type TableRequest = z.output<typeof tableRequestSchema>;

const { n_samples, n_entities, seed, conditions } = generateRequestSchema.shape;

export const sampleRequestSchema = z.object({
  rows: n_samples,
  n_entities: n_entities.meta({
    description:
      'For a job with entity_col, instead of rows: the number of entities to generate, with all rows of each.',
  }),
  seed: seed.meta({
    description:
      'The same job, rows, conditions and seed give the same bytes. By default, a seed is chosen and recorded.',
  }),
  conditions,
  queue: queueSchema,
});

/** Body of POST /sample; fields with defaults are optional. */
export type SampleRequestBody = z.input<typeof sampleRequestSchema>;

export type SampleRequest = z.output<typeof sampleRequestSchema>;

const { target_col, target, continuous_cols, categorical_cols, text_cols } = generateRequestSchema.shape;

export const compareRequestSchema = z.object({
  job_id: jobIdSchema.meta({ description: 'The job of the synthetic table’s upload; it becomes the comparison.' }),
  real_job_id: jobIdSchema.meta({ description: 'A job whose upload is the real table; it is left unchanged.' }),
  holdout_job_id: jobIdSchema
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'A job whose upload has real rows that were not used to make the synthetic table. Needed to test privacy.',
    }),
  target_col,
  target,
  continuous_cols,
  categorical_cols,
  text_cols,
  seed,
  queue: queueSchema,
});

/** Body of POST /compare; fields with defaults are optional. */
export type CompareRequestBody = z.input<typeof compareRequestSchema>;

export type CompareRequest = z.output<typeof compareRequestSchema>;

/** As stored with its job, with the source of its model. */
export const jobRequestSchema = generateRequestSchema.extend({
  sample_of: z.object({ job_id: z.string(), attempt: z.int() }).optional(),
  /** Present if the upload is an external table to compare. */
  compared_with: z.object({ job_id: z.string(), holdout_job_id: z.string().nullable() }).optional(),
});

export type JobRequest = z.output<typeof jobRequestSchema>;

export const encodingSchema = z
  .string({ error: 'must be the name of an encoding (a string)' })
  .transform((name, context): Encoding => {
    const found = encodingOf(name);
    if (found) return found;
    context.addIssue({ code: 'custom', message: `must be one of ${ENCODINGS.join(', ')}` });
    return z.NEVER;
  });

export const detectFamilyRequestSchema = z.object({
  job_id: jobIdSchema,
  target_col: z
    .string({ error: 'must be a column name (a string): the column whose family you want to know' })
    .meta({ description: 'The column to use as target_col in POST /generate.' }),
});

/** Body of POST /detect_family. */
export type DetectFamilyRequest = z.output<typeof detectFamilyRequestSchema>;
