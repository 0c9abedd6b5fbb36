/** What a finished job says of the regression of its target: what the model knows, and what chose its family. */
import { z } from 'zod';
import { familyChoiceSchema } from './families.ts';
import { labelFactsSchema } from './labels.ts';
import { figure } from './measuredFigure.ts';

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
  /** Largest rank-normalised split R-hat over all parameters; `summary` has the limit below which chains have converged. */
  worst_r_hat: figure,
  /** Least effective sample sizes over all parameters, for means and for 5 % and 95 % quantiles. */
  least_bulk_ess: figure,
  least_tail_ess: figure,
  divergences: z.int(),
  /** Draws whose trajectory was cut off at the greatest depth. */
  depth_exceeded: z.int(),
  /** Least energy Bayesian fraction of missing information over the chains; below 0.2 is suspicious. */
  least_e_bfmi: figure,
  /** Pareto k of importance weights, where those were used; below 0.7 is good. */
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
      /** Of all four chains: rank-normalised split R-hat, and effective sample sizes for the mean and for the 5 % and 95 % quantiles. Null where no chains were run, or in a record that is older than these fields. */
      r_hat: figure.default(null),
      bulk_ess: figure.default(null),
      tail_ess: figure.default(null),
    }),
  ),
  /** Whether draws were calibrated to the column; false where `calibrate: false` left the posterior predictive draws as they are. */
  calibrated: z.boolean().default(true),
  /** Leave-one-out cross-validation by Pareto-smoothed importance sampling; null where a density is not finite, without a model, or in a record that is older than this field. */
  loo: z
    .object({
      /** Sum over all rows of the log predictive density of each given the others, in units of the target; higher is better. */
      elpd: z.number(),
      se: z.number(),
      /** Effective number of parameters. */
      parameters: z.number(),
      /** Rows that were left out in turn: all of them, or a random sample that stands for all. */
      rows: z.int(),
      /** Of those, rows whose Pareto k is too large: of many, elpd is rough. */
      bad_shapes: z.int(),
    })
    .nullable()
    .default(null),
  /** Share of replicated tables whose figure is at least the real one's: near 0 or 1 the model misses it. */
  predictive_p_values: z.object({ mean: figure, sd: figure, zeros: figure, least: figure, greatest: figure }),
  /** Of a target of labels, whose other figures are of all its regressions together; null for numbers, or in a record that is older than this field. */
  label: labelFactsSchema.nullable().default(null),
});

export type RegressionMetrics = z.infer<typeof regressionMetricsSchema>;

const TARGET_DRAWN_BY = ['regression', 'sequence', 'relation'] as const;

export const jobRegressionSchema = regressionMetricsSchema.extend({
  /** How `family: auto` chose, as POST /detect_family says it; null where the request named the family. */
  family_choice: familyChoiceSchema.nullable().default(null),
  /** What made the synthetic target: this regression; or, where that only describes the real one, the rows of an entity one after the other, or other columns that it follows from. */
  drawn_by: z.enum(TARGET_DRAWN_BY).default('regression'),
});

export type JobRegression = z.infer<typeof jobRegressionSchema>;
