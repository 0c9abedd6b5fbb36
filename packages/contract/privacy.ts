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
          description: `ε of the whole release: the smaller, the more private. The promise is ${PROMISE_WORDS}.`,
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

/** Categories as written, or numbers from `min` to `max` with so many decimals. */
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
        .meta({ description: 'Every category that there may be, as cells write it. Any other counts as missing.' }),
      min: z
        .number({ error: END })
        .optional()
        .meta({ description: 'The least number; a smaller one counts as this one.' }),
      max: z
        .number({ error: END })
        .optional()
        .meta({ description: 'The largest number; a larger one counts as this one.' }),
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
      'For `privacy`: by column, what its cells may be. It has to be known without the file, from a code book, a law or common sense: levels or ranges that are read from the file give its rows away. Missing cells are always allowed.',
  });

/** Total ε of all private tables of one owner's table. */
export const MAX_EPSILON_PER_FILE = 10;
/** Bounds the ledger to one record. */
export const MAX_RELEASES_PER_FILE = 1000;

const totalVariationSchema = z
  .object({
    columns: z.number().meta({ description: 'Of single columns: 0 is none, 1 is all.' }),
    pairs: z.number().meta({ description: 'Of pairs of columns.' }),
  })
  .meta({ description: 'Mean total variation that the noise alone is expected to add, known before the start.' });

export const privacyCostSchema = z.object({
  rho: z.number().meta({ description: 'What the table would cost of the budget of its file, as zCDP.' }),
  expected_total_variation: totalVariationSchema,
});

export const privacySpentSchema = z.object({
  epsilon_spent: z
    .number()
    .meta({ description: 'ε of all private tables that this key made of this table, this one among them.' }),
  epsilon_left: z
    .number()
    .meta({ description: 'The largest ε that one more table with the δ of this request may have.' }),
  epsilon_budget: z.number().meta({ description: 'ε that they may have together.' }),
  delta: z
    .number()
    .nullable()
    .meta({ description: 'The δ that `epsilon_spent` is meant with: the smallest of all tables.' }),
  releases: z.int().meta({ description: 'Private tables of this table so far, this one among them.' }),
  shared_rows: z
    .object({
      share: z.number().meta({ description: 'Share of the rows of this table, estimated from a sample of them.' }),
      job_id: z.string().meta({ description: 'The first private job of the other table.' }),
      at: z.string().meta({ description: 'When that was started.' }),
    })
    .exactOptional()
    .meta({
      description:
        'Only if most rows of this table were already used in another table that this key made private tables of: for a person in both, costs add up, although each table has a budget of its own.',
    }),
});
export type PrivacySpent = z.output<typeof privacySpentSchema>;

export const formalPrivacySchema = z
  .object({
    unit: z.literal('row').meta({ description: 'Whom the promise is for: tables that differ by one row.' }),
    epsilon: z.number().meta({ description: 'ε of the promise.' }),
    delta: z.number().meta({ description: 'δ of the promise.' }),
    rho: z.number().meta({ description: 'The same as zCDP, by which tables of the same file add up.' }),
    spent: z
      .number()
      .meta({ description: 'What measuring has cost of it; 0 where rows come from earlier measurements.' }),
    columns_measured: z.int().meta({ description: 'Columns that were measured with noise.' }),
    pairs_measured: z.int().meta({ description: 'Pairs of columns that were measured with noise.' }),
    measurements_sha256: z.string().meta({
      description: 'SHA-256 of the measurements as they are kept: the same ones and the same seed give the same bytes.',
    }),
    expected_total_variation: totalVariationSchema,
    figures_for_owner: z.boolean().meta({
      description: 'True: figures that compare with real rows are for the owner of the file alone.',
    }),
  })
  .meta({ description: 'What a table that was made with `privacy` keeps to.' });

export type FormalPrivacy = z.output<typeof formalPrivacySchema>;
