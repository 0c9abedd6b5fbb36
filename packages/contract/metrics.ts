/**
 * Metrics of a finished job. `notes` explains null figures. Additional measures appear as `MeasuredFigure`s beside the
 * named ones.
 */
import { z } from 'zod';
import { TEXT_WRITERS } from './events.ts';
import { figure, measuredFigureSchema } from './measuredFigure.ts';
import { formalPrivacySchema } from './privacy.ts';
import { jobRegressionSchema } from './regressionMetrics.ts';
import { releaseMetricsSchema } from './releasePolicy.ts';
import { judgementSchema } from './verdicts.ts';

/** Distances between the real and synthetic column. */
const columnFidelitySchema = z.object({
  name: z.string(),
  kind: z.enum(['numeric', 'category']),
  ks: figure,
  /** In standard deviations of the real column. */
  wasserstein: figure,
  /** Over levels, or tenths of the real distribution for numbers. */
  total_variation: figure,
  missing_real: figure,
  missing_synthetic: figure,
  /** Reason for a null figure. */
  reason: z.string().nullable(),
});

export const ASSOCIATIONS = ['pearson', 'spearman', 'correlation_ratio', 'cramers_v'] as const;

/** Default for older records. */
const laterFigureSchema = measuredFigureSchema.default({
  value: null,
  low: null,
  high: null,
  rows: 0,
  reason: 'the version that measured the table did not try it',
  ideal: null,
  holdout: null,
  independent: null,
  swapped: null,
  verdict: null,
});

const currentFidelitySchema = z
  .object({
    /**
     * 1 − total variation over tenths and the ten most frequent levels; mean over columns, pairs and sampled triples.
     */
    one_way: measuredFigureSchema,
    two_way: measuredFigureSchema,
    three_way: measuredFigureSchema,
    /** Means over columns. */
    ks: measuredFigureSchema,
    wasserstein: measuredFigureSchema,
    total_variation: measuredFigureSchema,
    missingness: measuredFigureSchema,
    /** Root mean squared differences of association matrices. */
    pearson: measuredFigureSchema,
    spearman: measuredFigureSchema,
    correlation_ratio: measuredFigureSchema,
    cramers_v: measuredFigureSchema,
    /** 1 − |slope − 1|, with the slope of synthetic on real association strengths. */
    association_strength: laterFigureSchema,
    /** Out-of-sample AUC of boosted trees that separate equally many synthetic and held-out rows. */
    discriminator: measuredFigureSchema,
    /** The same against training rows. Well below `discriminator` indicates overfitting; far below 0.5, copying. */
    discriminator_training: laterFigureSchema,
    /** Permutation importance: loss of the discriminator's AUC, largest first. */
    feature_importance: z.array(z.object({ column: z.string(), loss: z.number() })),
    columns: z.array(columnFidelitySchema),
    /** Pairs whose association differs most. */
    largest_gaps: z.array(
      z.object({
        measure: z.enum(ASSOCIATIONS),
        columns: z.tuple([z.string(), z.string()]),
        real: z.number(),
        synthetic: z.number(),
      }),
    ),
    /** Columns above the limit. */
    columns_left_out: z.int(),
  })
  .catchall(z.json());

export type ColumnFidelity = z.infer<typeof columnFidelitySchema>;

/** Version 0.1 has `give_away` instead of `feature_importance`. */
function withCurrentNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('give_away' in value)) return value;
  const { give_away, ...rest } = value;
  return { feature_importance: give_away, ...rest };
}

const fidelityMetricsSchema = z.preprocess(withCurrentNames, currentFidelitySchema);

export type FidelityMetrics = z.infer<typeof fidelityMetricsSchema>;

const utilityMetricsSchema = z
  .object({
    /** R² on real rows of trees trained on synthetic rows; `holdout`: trained on as many real rows. */
    target: measuredFigureSchema,
    /** Mean one-against-the-rest AUC for each category of 2 to 20 levels, computed likewise. */
    categories: z.array(z.object({ column: z.string(), levels: z.int(), auc: measuredFigureSchema })),
    /** Mean overlap of 95 % intervals of linear regression coefficients; 1 if identical. */
    coefficients: measuredFigureSchema,
    /** Columns above the limit. */
    columns_left_out: z.int(),
  })
  .catchall(z.json());

export type UtilityMetrics = z.infer<typeof utilityMetricsSchema>;

/** Scores of membership attacks. */
export const MEMBERSHIP_SCORES = [
  'distance',
  'distance_ratio',
  'density_ratio',
  'coincidence',
  'worst_column',
] as const;
export const MEMBERSHIP_OVER = ['all', 'isolated'] as const;

const membershipAttackSchema = z.object({
  score: z.enum(MEMBERSHIP_SCORES),
  /** All rows, or the 5 % furthest from other real rows. */
  over: z.enum(MEMBERSHIP_OVER),
  /** 0.5 is chance. */
  auc: measuredFigureSchema,
  /** Share of training rows above the score exceeded by 1 % and 10 % of held-out rows. */
  true_positives_1: measuredFigureSchema,
  true_positives_10: measuredFigureSchema,
  /** Share of training rows among the highest scores, with equally many held-out rows; 0.5 is ideal. */
  highest: laterFigureSchema,
});

export type MembershipAttack = z.infer<typeof membershipAttackSchema>;

// Privacy figures. 'worse': training rows are nearer than unseen real rows.

const copiedRowSchema = z.object({
  /** Synthetic row, from 1. */
  row: z.int(),
  /** Equal real rows, from 1. */
  real_rows: z.array(z.int()),
  /** Expected number of equal synthetic rows by chance. */
  by_chance: z.number(),
});

export type CopiedRow = z.infer<typeof copiedRowSchema>;

export const privacyMetricsSchema = z
  .object({
    /** Share of synthetic rows equal to a real row that fewer than 5 share. */
    exact_copies: measuredFigureSchema,
    /** Copies of unique real rows. */
    unique_copies: measuredFigureSchema,
    /** The same in columns where chance agreement is negligible. */
    sure_copies: z.int().default(0),
    /** Copies, least likely by chance first; for the owner of the file only. */
    copied_rows: z.array(copiedRowSchema).default([]),
    near_copies: measuredFigureSchema,
    /**
     * Share of training rows nearest to a group of synthetic rows, among equally many training and held-out rows; 0.5
     * is ideal. Groups by the number of values unseen in real rows; reports the least likely by chance.
     */
    strange_rows: laterFigureSchema,
    /** Rows equal to a training row in all columns but at most one. */
    copies_but_one: laterFigureSchema,
    /** Share of synthetic rows nearer to training than to as many held-out rows, ties half; 0.5 is ideal. */
    dcr_share: measuredFigureSchema,
    /** The same for the worst group of columns; the interval corrects for the selection. */
    dcr_share_worst: measuredFigureSchema,
    worst_columns: z.array(z.string()),
    /** Mean ratio of the distances to the nearest and second nearest training row; near 0 for copies. */
    neighbour_ratio: measuredFigureSchema,
    /** AUC of guessing membership by nearness to synthetic rows. */
    membership_inference: measuredFigureSchema,
    membership: z.array(membershipAttackSchema).default([]),
    /** Excess success of guessing a training row's cell over a held-out row's. */
    attribute_inference: z.array(z.object({ column: z.string(), why: z.string(), advantage: measuredFigureSchema })),
    /** The same for an attacker who knows one or two columns: the surest look-ups. */
    look_ups: z
      .array(z.object({ known: z.array(z.string()), column: z.string(), advantage: measuredFigureSchema }))
      .default([]),
    /** Share of training rows among rows singled out, with held-out rows weighted up. */
    singling_out: measuredFigureSchema,
    /** Excess success of attacks on training rows over held-out rows, 0 to 1; `upper` bounds it. */
    singling_out_excess: laterFigureSchema,
    linkability_excess: laterFigureSchema,
    attribute_excess: laterFigureSchema,
    /** Share of texts with a long run of characters from a training text, in the worst column. */
    text_memorisation: measuredFigureSchema,
    worst_text_column: z.string().nullable(),
  })
  .catchall(z.json());

export type PrivacyMetrics = z.infer<typeof privacyMetricsSchema>;

const textMetricsSchema = z.object({
  /** Whether the language model started from a base; null without a model and in older records. */
  from_base: z.boolean().nullable().default(null),
  columns: z.array(
    z.object({
      column: z.string(),
      /** Null in older records. */
      writer: z.enum(TEXT_WRITERS).nullable().default(null),
      /** Cost of held-out texts under an n-gram model of synthetic texts; `holdout`: of real texts. */
      bits_per_character: measuredFigureSchema,
      /** Kolmogorov–Smirnov distance of lengths in characters. */
      length: measuredFigureSchema,
      /** Share of held-out words in the synthetic texts. */
      vocabulary: measuredFigureSchema,
      /** Accuracy on held-out rows of predicting the column from the text, trained on synthetic rows. */
      agreement: z.array(z.object({ with: z.string(), accuracy: measuredFigureSchema })),
      /** Share of texts identical to a training text. */
      copies: measuredFigureSchema,
    }),
  ),
  columns_left_out: z.int(),
});

export type TextMetrics = z.infer<typeof textMetricsSchema>;

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

/** Real rows used for comparison. */
export const measuredOnSchema = z.object({
  /**
   * Held-out rows; models refitted to folds of a small table; halves of the real rows for an external table (no
   * attacks); or none.
   */
  method: z.enum(['holdout', 'cross-fitting', 'halves', 'none']),
  folds: z.int(),
  train: z.int(),
  /** In cross-fitting, the total of all folds. */
  holdout: z.int(),
  summary: z.string(),
});

export type MeasuredOn = z.infer<typeof measuredOnSchema>;

export const jobMetricsSchema = z.object({
  numeric: numericMetricsSchema,
  rows_generated: z.int(),
  columns: z.array(z.string()),
  /** The same file, roles, seed and version reproduce the table. */
  seed: z.int(),
  version: z.string(),
  /** Null in older records. */
  verdicts: z.array(judgementSchema).nullable().default(null),
  /** Null without a target and in older records. */
  regression: jobRegressionSchema.nullable().default(null),
  /** Null in older records. */
  measured_on: measuredOnSchema.nullable().default(null),
  fidelity: fidelityMetricsSchema.nullable().default(null),
  utility: utilityMetricsSchema.nullable().default(null),
  privacy: privacyMetricsSchema.nullable().default(null),
  /** Also null without text columns. */
  text: textMetricsSchema.nullable().default(null),
  /** Null without a release policy if there are enough real rows. */
  release: releaseMetricsSchema.nullable().default(null),
  /** Present only with `privacy`. */
  formal_privacy: formalPrivacySchema.exactOptional(),
  /** The same figures for unseen real rows; null if too few. */
  holdout: numericMetricsSchema.omit({ family: true }).nullable(),
  /** Rows used for each figure. */
  sample_sizes: z.record(z.string(), z.int()),
  /** Reasons for null figures, subsampling and warnings of models. */
  notes: z.array(z.string()),
});

/** Metrics of a synthetic table beside held-out real rows. Unavailable figures are null; `notes` explains why. */
export type JobMetrics = z.infer<typeof jobMetricsSchema>;
