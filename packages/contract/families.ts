import { z } from 'zod';
import { FAMILY_NAMES, type FamilyName } from '../numerics/distributions/families.ts';

export const FAMILIES = FAMILY_NAMES;
export type Family = FamilyName;

/** Labels use `bernoulli` for two levels, otherwise `categorical`. */
export const TARGET_FAMILIES = [...FAMILY_NAMES, 'categorical'] as const;
export type TargetFamily = (typeof TARGET_FAMILIES)[number];

export const isOfNumbers = (family: TargetFamily): family is Family => family !== 'categorical';

export const LABEL_LEVELS = { least: 2, most: 20 } as const;

// Result of `family: auto`, in POST /detect_family and finished jobs.

export const familyChoiceSchema = z.object({
  family: z.enum(TARGET_FAMILIES),
  /** In words, with the deciding figures. */
  reason: z.string(),
  candidates: z.array(z.object({ family: z.enum(TARGET_FAMILIES), log_score: z.number() })).meta({
    description:
      'The compared families, best first, with their log scores: the sum over rows of the log probability of held-out values, at the precision of the column. Empty if the values alone decide.',
  }),
  runner_up: z
    .object({ family: z.enum(TARGET_FAMILIES), difference: z.number(), standard_error: z.number() })
    .nullable()
    .meta({
      description:
        'The best of the other families: the log score of the chosen family minus that of the runner-up, and the standard error of this difference. Negative if the chosen family is simpler and not significantly worse.',
    }),
  rows: z.int().meta({ description: 'Rows used for the comparison.' }),
  predictors: z.array(z.string()).meta({ description: 'The predictors of the compared fits.' }),
});

export type FamilyChoice = z.infer<typeof familyChoiceSchema>;
