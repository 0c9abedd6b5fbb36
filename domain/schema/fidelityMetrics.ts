/** What a finished job says of how well its table resembles the real one. */
import { z } from 'zod';
import { measuredFigureSchema } from './measuredFigure.ts';

const figure = z.number().nullable();

/** Distances of one column, real against synthetic. */
export const columnFidelitySchema = z.object({
  name: z.string(),
  kind: z.enum(['numeric', 'category']),
  /** Numbers only. */
  ks: figure,
  /** Numbers only, in standard deviations of the real column. */
  wasserstein: figure,
  /** Levels of a category; tenths of the real distribution for numbers. */
  total_variation: figure,
  missing_real: figure,
  missing_synthetic: figure,
  /** Why one of them is null. */
  reason: z.string().nullable(),
});

export const ASSOCIATIONS = ['pearson', 'spearman', 'correlation_ratio', 'cramers_v'] as const;

export const fidelityMetricsSchema = z.object({
  /** 1 − total variation over tenths and the ten most frequent levels, mean over columns, pairs and sampled triples. */
  one_way: measuredFigureSchema,
  two_way: measuredFigureSchema,
  three_way: measuredFigureSchema,
  /** Means over columns. */
  ks: measuredFigureSchema,
  wasserstein: measuredFigureSchema,
  total_variation: measuredFigureSchema,
  missingness: measuredFigureSchema,
  /** Root mean squared differences of the association matrices. */
  pearson: measuredFigureSchema,
  spearman: measuredFigureSchema,
  correlation_ratio: measuredFigureSchema,
  cramers_v: measuredFigureSchema,
  /** AUC of boosted trees that tell synthetic rows from real ones, each row by trees that did not see it. */
  discriminator: measuredFigureSchema,
  /** AUC that the discriminator loses where this column is shuffled; the most telling columns first. */
  give_away: z.array(z.object({ column: z.string(), loss: z.number() })),
  columns: z.array(columnFidelitySchema),
  /** The pairs whose association differs most. */
  largest_gaps: z.array(
    z.object({
      measure: z.enum(ASSOCIATIONS),
      columns: z.tuple([z.string(), z.string()]),
      real: z.number(),
      synthetic: z.number(),
    }),
  ),
  /** Columns that were not looked at, since there are too many. */
  columns_left_out: z.int(),
});

export type ColumnFidelity = z.infer<typeof columnFidelitySchema>;
export type FidelityMetrics = z.infer<typeof fidelityMetricsSchema>;
