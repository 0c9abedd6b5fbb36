import { z } from 'zod';
import { familyChoiceSchema } from './families.ts';
import { labelFactsSchema } from './labels.ts';
import { figure } from './measuredFigure.ts';

export const regressionMetricsSchema = z.object({
  target: z.string(),
  family: z.string(),
  rows: z.int(),
  method: z.string(),
  chains: z.int(),
  /** Per chain. */
  draws: z.int(),
  tune: z.int(),
  /** Largest rank-normalised split R-hat. */
  worst_r_hat: figure,
  /** For means, and for 5 % and 95 % quantiles. */
  least_bulk_ess: figure,
  least_tail_ess: figure,
  divergences: z.int(),
  /** Draws truncated at the maximum tree depth. */
  depth_exceeded: z.int(),
  /** Energy Bayesian fraction of missing information; below 0.2 is suspicious. */
  least_e_bfmi: figure,
  /** Pareto k of importance weights, if used; below 0.7 is good. */
  pareto_k: figure,
  converged: z.boolean(),
  summary: z.string(),
  /** Columns of the design matrices. */
  parameters: z.int(),
  /** Redundant columns, or columns without room. */
  left_out: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** With 90 % intervals; at most a hundred splines and tree leaves. */
  coefficients: z.array(
    z.object({
      name: z.string(),
      prior: z.string(),
      mean: z.number(),
      sd: z.number(),
      q05: z.number(),
      q95: z.number(),
      /** Over four chains. Null without chains and in older records. */
      r_hat: figure.default(null),
      bulk_ess: figure.default(null),
      tail_ess: figure.default(null),
    }),
  ),
  calibrated: z.boolean().default(true),
  /** PSIS leave-one-out cross-validation; null if not available. */
  loo: z
    .object({
      elpd: z.number(),
      se: z.number(),
      parameters: z.number(),
      /** Rows left out: all, or a representative random sample. */
      rows: z.int(),
      /** Rows with too large Pareto k; many make elpd unreliable. */
      bad_shapes: z.int(),
    })
    .nullable()
    .default(null),
  /** Posterior predictive p-values; near 0 or 1 the model misses the figure. */
  predictive_p_values: z.object({ mean: figure, sd: figure, zeros: figure, least: figure, greatest: figure }),
  /** The other figures then cover all regressions. */
  label: labelFactsSchema.nullable().default(null),
});

export type RegressionMetrics = z.infer<typeof regressionMetricsSchema>;

const TARGET_DRAWN_BY = ['regression', 'sequence', 'relation'] as const;

export const jobRegressionSchema = regressionMetricsSchema.extend({
  /** Result of `family: auto`; null if the request named the family. */
  family_choice: familyChoiceSchema.nullable().default(null),
  /** This regression, sequences of an entity, or columns that determine it. */
  drawn_by: z.enum(TARGET_DRAWN_BY).default('regression'),
});

export type JobRegression = z.infer<typeof jobRegressionSchema>;
