/** What a finished job says of its table. A figure that cannot be had is null and `notes` says why. */
import { z } from 'zod';
import { jobRegressionSchema } from './regressionMetrics.ts';

const figure = z.number().nullable();

export const numericMetricsSchema = z.object({
  'KS (Avg)': figure,
  'WD (Avg)': figure,
  'Corr Diff (F-Norm)': figure,
  'DCR (Avg)': figure,
  'Duplicate Rate (%)': figure,
  'TSTR R²': figure,
  'TSTR RMSE': figure,
  family: z.string().nullable(),
});

export type NumericMetrics = z.infer<typeof numericMetricsSchema>;

export const jobMetricsSchema = z.object({
  numeric: numericMetricsSchema,
  rows_generated: z.int(),
  columns: z.array(z.string()),
  /** The seed that was used: the same file, roles, seed and version give the same bytes. */
  seed: z.int(),
  version: z.string(),
  /** Of the target's model; null where there is no target, or the job was run before this was told. */
  regression: jobRegressionSchema.nullable().default(null),
  /** The same figures for real rows that no model saw; null where there were too few to keep apart. */
  holdout: numericMetricsSchema.omit({ family: true }).nullable(),
  /** Rows that each figure was computed on. */
  sample_sizes: z.record(z.string(), z.int()),
  /** Why a figure is null, what was subsampled, what a model said of itself. */
  notes: z.array(z.string()),
});

export type JobMetrics = z.infer<typeof jobMetricsSchema>;
