/** POST /generate: the body's fields, their bounds and defaults. Null stands for a field left out. */
import { z } from 'zod';
import { conditionsSchema } from './condition.ts';
import { FAMILIES } from './families.ts';
import { releasePolicySchema } from './releasePolicy.ts';

export const BOUNDS = {
  n_samples: { min: 1, max: 1_000_000, default: 3000 },
  draws: { min: 100, max: 10_000, default: 1000 },
  tune: { min: 100, max: 10_000, default: 1000 },
  text_epochs: { min: 1, max: 100, default: 3 },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER },
} as const;

/** How the language model draws: any numbers between, not whole ones alone. */
export const SAMPLING_BOUNDS = {
  text_temperature: { min: 0.1, max: 2, default: 1 },
  text_nucleus: { min: 0.1, max: 1, default: 0.95 },
} as const;

/** A whole number within bounds; every refusal says the same rule, so that the client reads it once. */
function wholeNumber(bounds: { min: number; max: number }) {
  const error = `must be a whole number from ${bounds.min} to ${bounds.max}`;
  return z.int({ error }).min(bounds.min, { error }).max(bounds.max, { error });
}

const boundedInteger = (bounds: { min: number; max: number; default: number }, description: string) =>
  wholeNumber(bounds)
    .nullish()
    .transform((value) => value ?? bounds.default)
    .meta({ description: `${description} ${bounds.default} where left out.` });

const boundedNumber = (bounds: { min: number; max: number; default: number }, description: string) => {
  const error = `must be a number from ${bounds.min} to ${bounds.max}`;
  return z
    .number({ error })
    .min(bounds.min, { error })
    .max(bounds.max, { error })
    .nullish()
    .transform((value) => value ?? bounds.default)
    .meta({ description: `${description} ${bounds.default} where left out.` });
};

const columnList = (description: string) =>
  z
    .array(z.string({ error: 'must be a column name (a string)' }), { error: 'must be an array of column names' })
    .nullish()
    .transform((value) => value ?? [])
    .meta({ description });

const FAMILY_NAMES = ['auto', ...FAMILIES] as const;

export const jobIdSchema = z.string().min(1).meta({ description: 'The identifier that POST /upload answered with.' });

export const generateRequestSchema = z.object({
  job_id: jobIdSchema,
  target_col: z
    .string({ error: 'must be a column name (a string)' })
    .nullish()
    .transform((value) => value ?? null)
    .meta({ description: 'A numeric column for the Bayesian model; left out for text-only generation.' }),
  continuous_cols: columnList('The other numeric columns.'),
  categorical_cols: columnList('Columns of categories.'),
  text_cols: columnList('Columns of free text.'),
  n_samples: boundedInteger(BOUNDS.n_samples, 'Rows to generate.'),
  draws: boundedInteger(BOUNDS.draws, 'Draws that the sampler keeps.'),
  tune: boundedInteger(BOUNDS.tune, 'Steps in which the sampler adapts.'),
  family: z
    .enum(FAMILY_NAMES, { error: `must be one of ${FAMILY_NAMES.join(', ')}` })
    .nullish()
    .transform((value) => value ?? ('auto' as const))
    .meta({ description: 'Distribution family of the target. auto where left out: see POST /detect_family.' }),
  text_epochs: boundedInteger(BOUNDS.text_epochs, 'Passes of the text model over the text.'),
  text_temperature: boundedNumber(
    SAMPLING_BOUNDS.text_temperature,
    'How freely texts are written: below 1 more likely words, above 1 less likely ones.',
  ),
  text_nucleus: boundedNumber(
    SAMPLING_BOUNDS.text_nucleus,
    'Share of probability from which each next piece of a text is drawn, the most probable first.',
  ),
  keep_rare: z
    .boolean({ error: 'must be true or false' })
    .nullish()
    .transform((value) => value ?? false)
    .meta({
      description:
        'Whether levels of categorical columns that only a few rows have may come out. Where left out they do not: others stand in their place.',
    }),
  conditions: conditionsSchema,
  policy: releasePolicySchema
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'What the table must keep to: rows that do not are drawn anew, and where it still does not, the rows are withheld (403) until POST /jobs/{job_id}/release. The operator’s default where left out; {} asks for nothing.',
    }),
  seed: wholeNumber(BOUNDS.seed)
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'The same file, roles, seed and version give a byte-identical file; made and recorded where left out.',
    }),
});

/** What POST /generate takes. The address is no part of what makes the table: it is kept apart, and stands in no receipt. */
export const startRequestSchema = generateRequestSchema.extend({
  callback_url: z
    .string({ error: 'must be an address (a string)' })
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'An https address of the public internet that is told of the end of the job by a signed POST (GET /callback-secret has the secret). GET /status says how that went.',
    }),
});

/** A request as a client may send it. */
export type GenerateRequestBody = z.input<typeof startRequestSchema>;

/** A request with every default filled in. */
export type GenerateRequest = z.output<typeof generateRequestSchema>;
