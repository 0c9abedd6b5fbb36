/** Unavailable figures are null, as explained by `notes`. Additional measures appear beside the named ones. */
import { z } from 'zod';
import { TEXT_WRITERS } from './events.ts';
import { figure, measuredFigureSchema } from './measuredFigure.ts';
import { formalPrivacySchema } from './privacy.ts';
import { jobRegressionSchema } from './regressionMetrics.ts';
import { releaseMetricsSchema } from './releasePolicy.ts';
import { judgementSchema } from './verdicts.ts';

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
  reason: z.string().nullable(),
});

export const ASSOCIATIONS = ['pearson', 'spearman', 'correlation_ratio', 'cramers_v'] as const;

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

const fidelityMetricsSchema = z
  .object({
    /**
     * 1 − total variation over tenths and the ten most frequent levels; mean over columns, pairs and sampled triples.
     */
    one_way: measuredFigureSchema,
    two_way: measuredFigureSchema,
    three_way: measuredFigureSchema,
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
    /** AUC of trees that separate equally many synthetic and held-out rows, out of sample. */
    discriminator: measuredFigureSchema,
    /** Against training rows. Well below `discriminator`: overfitting; far below 0.5: copying. */
    discriminator_training: laterFigureSchema,
    /** Permutation importance, largest first. */
    feature_importance: z.array(z.object({ column: z.string(), loss: z.number() })),
    columns: z.array(columnFidelitySchema),
    largest_gaps: z.array(
      z.object({
        measure: z.enum(ASSOCIATIONS),
        columns: z.tuple([z.string(), z.string()]),
        real: z.number(),
        synthetic: z.number(),
      }),
    ),
    columns_left_out: z.int(),
  })
  .catchall(z.json());

export type ColumnFidelity = z.infer<typeof columnFidelitySchema>;

export type FidelityMetrics = z.infer<typeof fidelityMetricsSchema>;

const utilityMetricsSchema = z
  .object({
    /** R² on real rows of a model trained on synthetic rows. `holdout` is trained on the same number of real rows. */
    target: measuredFigureSchema,
    /** Mean one-against-the-rest AUC, computed likewise. */
    categories: z.array(z.object({ column: z.string(), levels: z.int(), auc: measuredFigureSchema })),
    /** Mean overlap of 95 % intervals of linear regression coefficients. */
    coefficients: measuredFigureSchema,
    columns_left_out: z.int(),
  })
  .catchall(z.json());

export type UtilityMetrics = z.infer<typeof utilityMetricsSchema>;

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
  auc: measuredFigureSchema,
  /** Share of training rows above the score of 1 % and 10 % of held-out rows. */
  true_positives_1: measuredFigureSchema,
  true_positives_10: measuredFigureSchema,
  /** Share of training rows among the highest scores; 0.5 is ideal. */
  highest: laterFigureSchema,
});

export type MembershipAttack = z.infer<typeof membershipAttackSchema>;

// Privacy figures. 'worse': training rows are nearer than unseen real rows.

const copiedRowSchema = z.object({
  row: z.int(),
  real_rows: z.array(z.int()),
  /** Expected number of equal synthetic rows by chance. */
  by_chance: z.number(),
});

export type CopiedRow = z.infer<typeof copiedRowSchema>;

export const privacyMetricsSchema = z
  .object({
    /** Share equal to a real row that fewer than 5 share. */
    exact_copies: measuredFigureSchema,
    /** Copies of unique real rows. */
    unique_copies: measuredFigureSchema,
    /** The same in columns where chance agreement is negligible. */
    sure_copies: z.int().default(0),
    /** Copies, least likely by chance first; for the owner of the file only. */
    copied_rows: z.array(copiedRowSchema).default([]),
    near_copies: measuredFigureSchema,
    /**
     * Groups synthetic rows by values unseen in real rows. Share of training rows among the nearest real rows; 0.5 is
     * ideal. Worst group.
     */
    strange_rows: laterFigureSchema,
    /** Rows equal to a training row in all columns but at most one. */
    copies_but_one: laterFigureSchema,
    /** Share of synthetic rows nearer to a training row than to a held-out row, with equal numbers of both. Ties count half; 0.5 is ideal. */
    dcr_share: measuredFigureSchema,
    /** Worst group of columns; the interval corrects for the selection. */
    dcr_share_worst: measuredFigureSchema,
    worst_columns: z.array(z.string()),
    /** Mean distance to the nearest over second nearest training row; near 0 for copies. */
    neighbour_ratio: measuredFigureSchema,
    /** AUC of guessing membership by nearness to synthetic rows. */
    membership_inference: measuredFigureSchema,
    membership: z.array(membershipAttackSchema).default([]),
    /** Excess success on training rows over held-out rows. */
    attribute_inference: z.array(z.object({ column: z.string(), why: z.string(), advantage: measuredFigureSchema })),
    /** The attacker knows one or two columns. */
    look_ups: z
      .array(z.object({ known: z.array(z.string()), column: z.string(), advantage: measuredFigureSchema }))
      .default([]),
    /** Share of training rows among rows singled out. */
    singling_out: measuredFigureSchema,
    /** Excess on training rows, 0 to 1; `upper` bounds it. */
    singling_out_excess: laterFigureSchema,
    linkability_excess: laterFigureSchema,
    attribute_excess: laterFigureSchema,
    /** Share of texts with a long run from a training text. */
    text_memorisation: measuredFigureSchema,
    worst_text_column: z.string().nullable(),
  })
  .catchall(z.json());

export type PrivacyMetrics = z.infer<typeof privacyMetricsSchema>;

const textMetricsSchema = z.object({
  /** Null without a model and in older records. */
  from_base: z.boolean().nullable().default(null),
  columns: z.array(
    z.object({
      column: z.string(),
      /** Null in older records. */
      writer: z.enum(TEXT_WRITERS).nullable().default(null),
      /** Cost of held-out texts under an n-gram model of synthetic ones. */
      bits_per_character: measuredFigureSchema,
      /** Kolmogorov–Smirnov distance of lengths in characters. */
      length: measuredFigureSchema,
      vocabulary: measuredFigureSchema,
      /** Accuracy on held-out rows of predicting the column from the text. */
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

export const measuredOnSchema = z.object({
  /**
   * Held-out rows; refitted models for small tables; halves of the real rows for external tables (no attacks); or none.
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
  sample_sizes: z.record(z.string(), z.int()),
  /** Reasons for null figures, subsampling and warnings of models. */
  notes: z.array(z.string()),
});

/** Metrics of a synthetic table beside held-out real rows. Unavailable figures are null; `notes` explains why. */
export type JobMetrics = z.infer<typeof jobMetricsSchema>;
