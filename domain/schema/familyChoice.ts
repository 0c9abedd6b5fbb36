/** How `family: auto` chose: what POST /detect_family answers and a finished job repeats. */
import { z } from 'zod';
import { FAMILIES } from './families.ts';

export const familyChoiceSchema = z.object({
  family: z.enum(FAMILIES),
  /** Why, in words, with the figures that decided. */
  reason: z.string(),
  candidates: z.array(z.object({ family: z.enum(FAMILIES), log_score: z.number() })).meta({
    description:
      'The families that were compared, the best first: the sum over rows of the log probability that each gives to a value it has not seen, to the precision in which the column is written. Empty where the values alone decide.',
  }),
  runner_up: z
    .object({ family: z.enum(FAMILIES), difference: z.number(), standard_error: z.number() })
    .nullable()
    .meta({
      description:
        'The best of the others: log score of the chosen family less its own, and the standard error of that difference. Below zero where the chosen family is the simpler one and not worse beyond error.',
    }),
  rows: z.int().meta({ description: 'Rows of the sample that the comparison used.' }),
  predictors: z.array(z.string()).meta({ description: 'The columns that the compared fits were given.' }),
});

export type FamilyChoice = z.infer<typeof familyChoiceSchema>;
