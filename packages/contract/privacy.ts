/** Differential privacy as a request asks for it, and as a job says what was kept to. */
import { z } from 'zod';

/** Largest ε that can be asked for: beyond, the promise says nothing. */
const MAX_EPSILON = 50;
/** Below it no one is hidden among the others: refused. */
export const MIN_PRIVATE_ROWS = 200;
export const DEFAULT_DELTA = 1e-6;

const EPSILON = `must be a number above 0, at most ${MAX_EPSILON}`;
const DELTA = 'must be a number above 0 and below 1';

export const privacySchema = z
  .strictObject(
    {
      epsilon: z.number({ error: EPSILON }).gt(0, { error: EPSILON }).max(MAX_EPSILON, { error: EPSILON }).meta({
        description: 'ε of the whole release: the smaller, the more private. 1 is strong, 10 is weak.',
      }),
      delta: z
        .number({ error: DELTA })
        .gt(0, { error: DELTA })
        .lt(1, { error: DELTA })
        .nullish()
        .transform((value) => value ?? DEFAULT_DELTA)
        .meta({
          description: `δ of the release, at most 1 / rows of the file. ${DEFAULT_DELTA} by default.`,
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

// The domain: what the cells of a column may be, known without the file.

export const MAX_DOMAIN_LEVELS = 1000;
const MAX_DECIMALS = 9;
/** Numbers that a column may hold, at most: those between its ends in steps of its last decimal. */
const MAX_NUMBERS = 2 ** 31 - 1;

const LEVELS = `must be a list of 1 to ${MAX_DOMAIN_LEVELS} different texts`;
const DECIMALS = `must be a whole number from 0 to ${MAX_DECIMALS}`;
const END = 'must be a number';

const levelsSchema = z.strictObject({
  levels: z
    .array(z.string({ error: LEVELS }), { error: LEVELS })
    .min(1, { error: LEVELS })
    .max(MAX_DOMAIN_LEVELS, { error: LEVELS })
    .refine((levels) => new Set(levels).size === levels.length, { error: LEVELS })
    .meta({ description: 'Every category that there may be, as cells write it. A cell that is none counts as missing.' }),
});

const numbersSchema = z
  .strictObject({
    min: z.number({ error: END }).meta({ description: 'The least number. A smaller one counts as this one.' }),
    max: z.number({ error: END }).meta({ description: 'The largest number. A larger one counts as this one.' }),
    decimals: z
      .int({ error: DECIMALS })
      .min(0, { error: DECIMALS })
      .max(MAX_DECIMALS, { error: DECIMALS })
      .nullish()
      .transform((value) => value ?? 0)
      .meta({ description: 'Digits after the point. 0 by default.' }),
  })
  .refine(({ min, max }) => min <= max, { error: 'must have a min that is not above max' })
  .refine(({ min, max, decimals }) => Math.round((max - min) * 10 ** decimals) < MAX_NUMBERS, {
    error: 'must have fewer decimals or a smaller range: at most 2,147,483,647 different numbers',
  });

const COLUMN = 'must be {"levels": […]} for categories or {"min": …, "max": …, "decimals": 0} for numbers';

export const domainSchema = z
  .record(z.string(), z.union([levelsSchema, numbersSchema], { error: COLUMN }), {
    error: 'must be an object with an entry for each column, such as {"age": {"min": 17, "max": 90}}',
  })
  .meta({
    description:
      'For `privacy`: by column, what its cells may be. It has to be known without the file, from a code book, a law or common sense: levels or ranges that are read from the file give its rows away. Missing cells are always allowed.',
  });

export type Domain = z.output<typeof domainSchema>;
export type ColumnDomain = Domain[string];

// What a job says of it.

const share = z.number();

export const formalPrivacySchema = z.object({
  /** Whom the promise is for: tables that differ by one row. */
  unit: z.literal('row'),
  epsilon: share,
  delta: share,
  /** The same as zero-concentrated differential privacy: what releases of the same file add up by. */
  rho: share,
  /** Of `rho`, what the measurements have cost. */
  spent: share,
  /** Noisy measurements of single columns and of pairs that the table was made from. */
  columns_measured: z.int(),
  pairs_measured: z.int(),
  /** SHA-256 of the measurements as they are kept: the seed gives the same table from the same ones. */
  measurements_sha256: z.string(),
  /** Mean total variation that the noise alone was expected to add, before the start: of columns and of pairs. */
  expected_total_variation: z.object({ columns: share, pairs: share }),
  /** True: every figure of these metrics that compares with real rows is for the owner of the file alone. */
  figures_for_owner: z.boolean(),
});

export type FormalPrivacy = z.output<typeof formalPrivacySchema>;
