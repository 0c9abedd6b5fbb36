/** What a finished job says of its table. A figure that cannot be had is null and `notes` says why. */
import { z } from 'zod';
import { fidelityMetricsSchema } from './fidelityMetrics.ts';
import { privacyMetricsSchema } from './privacyMetrics.ts';
import { jobRegressionSchema } from './regressionMetrics.ts';
import { releaseMetricsSchema } from './releasePolicy.ts';
import { textMetricsSchema } from './textMetrics.ts';
import { utilityMetricsSchema } from './utilityMetrics.ts';

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

/** Which real rows the figures are judged by. */
export const measuredOnSchema = z.object({
  /** Rows kept from the models; or models fitted anew to parts of a small table; or none where both cannot be had. */
  method: z.enum(['holdout', 'cross-fitting', 'none']),
  folds: z.int(),
  train: z.int(),
  /** In cross-fitting, of all folds together. */
  holdout: z.int(),
  /** The same in a sentence. */
  summary: z.string(),
});

export type MeasuredOn = z.infer<typeof measuredOnSchema>;

export const jobMetricsSchema = z.object({
  numeric: numericMetricsSchema,
  rows_generated: z.int(),
  columns: z.array(z.string()),
  /** The seed that was used: the same file, roles, seed and version give the same bytes. */
  seed: z.int(),
  version: z.string(),
  /** Of the target's model; null where there is no target, or the job was run before this was told. */
  regression: jobRegressionSchema.nullable().default(null),
  /** Null where the job was run before these were told. */
  measured_on: measuredOnSchema.nullable().default(null),
  fidelity: fidelityMetricsSchema.nullable().default(null),
  utility: utilityMetricsSchema.nullable().default(null),
  privacy: privacyMetricsSchema.nullable().default(null),
  /** Null as well where there is no text column. */
  text: textMetricsSchema.nullable().default(null),
  /** Null where no release policy was asked for. */
  release: releaseMetricsSchema.nullable().default(null),
  /** The same figures for real rows that no model saw; null where there were too few to keep apart. */
  holdout: numericMetricsSchema.omit({ family: true }).nullable(),
  /** Rows that each figure was computed on. */
  sample_sizes: z.record(z.string(), z.int()),
  /** Why a figure is null, what was subsampled, what a model said of itself. */
  notes: z.array(z.string()),
});

export type JobMetrics = z.infer<typeof jobMetricsSchema>;
