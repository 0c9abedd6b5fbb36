/** What a finished job says of the regression of its target: what the model knows, and what chose its family. */
import { z } from 'zod';
import { familyChoiceSchema } from './familyChoice.ts';

const figure = z.number().nullable();

export const regressionMetricsSchema = z.object({
  target: z.string(),
  family: z.string(),
  rows: z.int(),
  /** How the posterior was drawn from, in words. */
  method: z.string(),
  chains: z.int(),
  /** Per chain. */
  draws: z.int(),
  tune: z.int(),
  /** Largest rank-normalised split R-hat over all parameters; below 1.01 is converged. */
  worst_r_hat: figure,
  /** Least effective sample sizes over all parameters, for means and for 5 % and 95 % quantiles. */
  least_bulk_ess: figure,
  least_tail_ess: figure,
  divergences: z.int(),
  /** Draws whose trajectory was cut off at the greatest depth. */
  depth_exceeded: z.int(),
  /** Least energy Bayesian fraction of missing information over the chains; below 0.2 is suspicious. */
  least_e_bfmi: figure,
  /** Of importance weights, where those were used; below 0.7 is good. */
  pareto_k: figure,
  converged: z.boolean(),
  /** The verdict in a sentence. */
  summary: z.string(),
  /** Columns of the design matrices. */
  parameters: z.int(),
  /** Columns that add nothing to the others, or that there was no room for. */
  left_out: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** By name, with 90 % intervals; splines and tree leaves beyond the first hundred are left out. */
  coefficients: z.array(
    z.object({
      name: z.string(),
      prior: z.string(),
      mean: z.number(),
      sd: z.number(),
      q05: z.number(),
      q95: z.number(),
    }),
  ),
  /** Share of replicated tables whose figure is at least the real one's: near 0 or 1 the model misses it. */
  predictive_p_values: z.object({ mean: figure, sd: figure, zeros: figure, least: figure, greatest: figure }),
});

export type RegressionMetrics = z.infer<typeof regressionMetricsSchema>;

export const jobRegressionSchema = regressionMetricsSchema.extend({
  /** How `family: auto` chose, as POST /detect_family says it; null where the request named the family. */
  family_choice: familyChoiceSchema.nullable().default(null),
});

export type JobRegression = z.infer<typeof jobRegressionSchema>;
