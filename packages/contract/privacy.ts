import { z } from 'zod';
import { PROMISE_WORDS } from './promise.ts';

/** Below this, noise exceeds every count and eventually the range of exact integers. */
const MIN_EPSILON = 0.001;
/** Beyond this, the promise is meaningless. */
const MAX_EPSILON = 50;
/** Smaller tables cannot hide anyone and are refused. */
export const MIN_PRIVATE_ROWS = 200;
const DEFAULT_DELTA = 1e-6;
/** Smaller values cost noise without a practical benefit. */
export const MIN_DELTA = 1e-12;

const EPSILON = `must be a number from ${MIN_EPSILON} to ${MAX_EPSILON}`;
const DELTA = `must be a number from ${MIN_DELTA} to below 1, such as ${DEFAULT_DELTA}`;

export const privacySchema = z
  .strictObject(
    {
      epsilon: z
        .number({ error: EPSILON })
        .min(MIN_EPSILON, { error: EPSILON })
        .max(MAX_EPSILON, { error: EPSILON })
        .meta({
          description: `ε of the whole release; smaller is more private. The promise is ${PROMISE_WORDS}.`,
        }),
      delta: z
        .number({ error: DELTA })
        .min(MIN_DELTA, { error: DELTA })
        .lt(1, { error: DELTA })
        .nullish()
        .transform((value) => value ?? DEFAULT_DELTA)
        .meta({
          description: `δ of the release, from ${MIN_DELTA} to 1 / rows of the file. ${DEFAULT_DELTA} by default.`,
        }),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `has unknown fields (${issue.keys.slice(0, 5).join(', ')}); known are epsilon and delta`
          : 'must be an object such as {"epsilon": 1}',
    },
  )
  .meta({
    description:
      'Makes the release (ε, δ)-differentially private for one row added or removed. Needs `domain`, and a role for each of its columns. Texts, keys and conditions are refused; settings of other models do not apply.',
  });

export type PrivacyRequest = z.output<typeof privacySchema>;

// Domain: possible cells of a column, known without the file.

const MAX_DOMAIN_LEVELS = 1000;
const MAX_DECIMALS = 9;
/** Maximum number of possible values. */
const MAX_NUMBERS = 2 ** 31 - 1;

const LEVELS = `must be a list of 1 to ${MAX_DOMAIN_LEVELS} different texts`;
const DECIMALS = `must be a whole number from 0 to ${MAX_DECIMALS}`;
const END = 'must be a number';
const TOO_FINE = 'must have fewer decimals or a smaller range: at most 2,147,483,647 different numbers';

const COLUMN = 'must be {"levels": […]} for categories, or {"min": …, "max": …, "decimals": 0} for numbers';

/** Categories as written, or numbers from `min` to `max` with `decimals` digits after the point. */
export type ColumnDomain = { levels: string[] } | { min: number; max: number; decimals: number };

const columnDomainSchema = z
  .strictObject(
    {
      levels: z
        .array(z.string({ error: LEVELS }), { error: LEVELS })
        .min(1, { error: LEVELS })
        .max(MAX_DOMAIN_LEVELS, { error: LEVELS })
        .refine((levels) => new Set(levels).size === levels.length, { error: LEVELS })
        .optional()
        .meta({ description: 'All possible categories, exactly as in the cells. Any other counts as missing.' }),
      min: z
        .number({ error: END })
        .optional()
        .meta({ description: 'The smallest number; smaller ones are raised to it.' }),
      max: z
        .number({ error: END })
        .optional()
        .meta({ description: 'The largest number; larger ones are lowered to it.' }),
      decimals: z
        .int({ error: DECIMALS })
        .min(0, { error: DECIMALS })
        .max(MAX_DECIMALS, { error: DECIMALS })
        .optional()
        .meta({ description: 'Digits after the point. 0 by default.' }),
    },
    { error: COLUMN },
  )
  .transform(({ levels, min, max, decimals }, context): ColumnDomain => {
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (levels) return [min, max, decimals].every((end) => end === undefined) ? { levels } : refuse(COLUMN);
    if (min === undefined || max === undefined) return refuse(COLUMN);
    if (min > max) return refuse('must have a min that is not above max');
    const steps = decimals ?? 0;
    return Math.round((max - min) * 10 ** steps) < MAX_NUMBERS ? { min, max, decimals: steps } : refuse(TOO_FINE);
  });

export const domainSchema = z
  .record(z.string(), columnDomainSchema, {
    error: 'must be an object with an entry for each column, such as {"age": {"min": 17, "max": 90}}',
  })
  .meta({
    description:
      'For `privacy`: the possible cells of each column. They must be known without the file, from a code book, a law or common sense, because levels or ranges read from the file reveal its rows. Missing cells are always allowed.',
  });

/** Total ε of all private tables of one owner's table. */
export const MAX_EPSILON_PER_FILE = 10;
/** Bounds the ledger to one record. */
export const MAX_RELEASES_PER_FILE = 1000;

const totalVariationSchema = z
  .object({
    columns: z.number().meta({ description: 'For single columns, from 0 (no change) to 1.' }),
    pairs: z.number().meta({ description: 'For pairs of columns.' }),
  })
  .meta({ description: 'Mean total variation that the noise is expected to add, known before the start.' });

export const privacyCostSchema = z.object({
  rho: z.number().meta({ description: 'Cost of the table from the budget of its file, as zCDP.' }),
  expected_total_variation: totalVariationSchema,
});

export const privacySpentSchema = z.object({
  epsilon_spent: z
    .number()
    .meta({ description: 'Total ε of all private tables that this key made from this table, including this one.' }),
  epsilon_left: z.number().meta({ description: 'Largest ε of one more table with the δ of this request.' }),
  epsilon_budget: z.number().meta({ description: 'Largest total ε of these tables.' }),
  delta: z
    .number()
    .nullable()
    .meta({ description: 'The δ that belongs to `epsilon_spent`: the smallest of all these tables.' }),
  releases: z.int().meta({ description: 'Number of private tables made from this table so far, including this one.' }),
  shared_rows: z
    .object({
      share: z.number().meta({ description: 'Share of the rows of this table, estimated from a sample of them.' }),
      job_id: z.string().meta({ description: 'The first private job with the other table.' }),
      at: z.string().meta({ description: 'Start of that job.' }),
    })
    .exactOptional()
    .meta({
      description:
        'Present only if this key already made private tables from another table with most of these rows. For a person in both tables the costs add up, although each table has its own budget.',
    }),
});
export type PrivacySpent = z.output<typeof privacySpentSchema>;

export const formalPrivacySchema = z
  .object({
    unit: z.literal('row').meta({ description: 'Unit of privacy: tables that differ by one row.' }),
    epsilon: z.number().meta({ description: 'ε of the promise.' }),
    delta: z.number().meta({ description: 'δ of the promise.' }),
    rho: z.number().meta({ description: 'The same as zCDP, which adds up over tables of the same file.' }),
    spent: z
      .number()
      .meta({ description: 'The part of it spent on measurements; 0 if the rows come from earlier measurements.' }),
    columns_measured: z.int().meta({ description: 'Columns that were measured with noise.' }),
    pairs_measured: z.int().meta({ description: 'Pairs of columns that were measured with noise.' }),
    measurements_sha256: z.string().meta({
      description: 'SHA-256 of the stored measurements: the same measurements and seed give the same bytes.',
    }),
    expected_total_variation: totalVariationSchema,
    figures_for_owner: z.boolean().meta({
      description: 'True: figures that compare with real rows are only for the owner of the file.',
    }),
  })
  .meta({ description: 'The privacy guarantee of a table made with `privacy`.' });

export type FormalPrivacy = z.output<typeof formalPrivacySchema>;
