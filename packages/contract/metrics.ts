/**
 * What a finished job says of its table. A figure that cannot be had is null and `notes` says why. Beside the named figures
 * of fidelity, utility and privacy stand those of measures that were added, each a `MeasuredFigure`.
 */
import { z } from 'zod';
import { TEXT_WRITERS } from './events.ts';
import { figure, measuredFigureSchema } from './measuredFigure.ts';
import { formalPrivacySchema } from './privacy.ts';
import { jobRegressionSchema } from './regressionMetrics.ts';
import { releaseMetricsSchema } from './releasePolicy.ts';
import { judgementSchema } from './verdicts.ts';

// What a finished job says of how well its table resembles the real one.

/** Distances of one column, real against synthetic. */
const columnFidelitySchema = z.object({
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

/** In records that are older than the figure. */
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
    /** 1 less how far the slope of the synthetic strengths on the real ones is from 1. */
    association_strength: laterFigureSchema,
    /** AUC of boosted trees that separate equal numbers of synthetic and held-out rows. No tree scores a row that it was fitted to. */
    discriminator: measuredFigureSchema,
    /** The same against training rows. Well below `discriminator`: the table follows their noise; far below 0.5: it copies them. */
    discriminator_training: laterFigureSchema,
    /** AUC that the discriminator loses where this column is shuffled (permutation importance), the largest first. */
    feature_importance: z.array(z.object({ column: z.string(), loss: z.number() })),
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
  })
  .catchall(z.json());

export type ColumnFidelity = z.infer<typeof columnFidelitySchema>;

export type FidelityMetrics = z.infer<typeof fidelityMetricsSchema>;

// What a finished job says of the utility of its table.

const utilityMetricsSchema = z
  .object({
    /** R² on real rows of trees trained on synthetic ones; `holdout` is that of trees trained on as many real rows. */
    target: measuredFigureSchema,
    /** Mean one-against-the-rest AUC for each category column of 2 to 20 levels, trained and tested likewise. */
    categories: z.array(z.object({ column: z.string(), levels: z.int(), auc: measuredFigureSchema })),
    /** Mean overlap of the 95 % intervals of a linear regression's coefficients; 1 where they are the same. */
    coefficients: measuredFigureSchema,
    /** Category columns that were not looked at, since there are too many. */
    columns_left_out: z.int(),
  })
  .catchall(z.json());

export type UtilityMetrics = z.infer<typeof utilityMetricsSchema>;

/** By what an attacker guesses who was trained on, and of which rows. */
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
  /** Share of training rows above the score that 1 % and 10 % of held-out rows exceed. */
  true_positives_1: measuredFigureSchema,
  true_positives_10: measuredFigureSchema,
  /** Share of training rows among the persons who score highest. Equal numbers of training and held-out rows are scored; 0.5 is ideal. */
  highest: laterFigureSchema,
});

export type MembershipAttack = z.infer<typeof membershipAttackSchema>;

// What a finished job says of whom its table gives away. 'worse' means that training rows are nearer than real rows
// are.

const copiedRowSchema = z.object({
  /** Of the synthetic table, from 1. */
  row: z.int(),
  /** Rows of the real table that it equals, from 1. */
  real_rows: z.array(z.int()),
  /** Synthetic rows that are expected to equal this real row by chance. */
  by_chance: z.number(),
});

export type CopiedRow = z.infer<typeof copiedRowSchema>;

export const privacyMetricsSchema = z
  .object({
    /** Shares of synthetic rows, 0 to 1, that equal a real row which fewer than 5 real rows share. */
    exact_copies: measuredFigureSchema,
    /** Copies of real rows that are unique. */
    unique_copies: measuredFigureSchema,
    /** Copies of unique rows in columns in which chance agreement is negligible. */
    sure_copies: z.int().default(0),
    /** Rows that equal real ones, the least likely by chance first: for the owner of the file alone. */
    copied_rows: z.array(copiedRowSchema).default([]),
    near_copies: measuredFigureSchema,
    /**
     * Synthetic rows are grouped by how many of their numbers no real row has. Of the real rows that are nearest to a group, the
     * share that are training rows, if equal numbers of training and held-out rows are searched; 0.5 is ideal. The group that is
     * least likely by chance.
     */
    strange_rows: laterFigureSchema,
    /** Rows that equal a training row in all columns but one at most. */
    copies_but_one: laterFigureSchema,
    /** Share of synthetic rows nearer to training rows than to as many held-out rows, ties half; 0.5 is ideal. */
    dcr_share: measuredFigureSchema,
    /** The same over the group of columns in which it is worst; its interval allows for having chosen. */
    dcr_share_worst: measuredFigureSchema,
    worst_columns: z.array(z.string()),
    /** Distance to the nearest training row over that to the second nearest, mean; near 0 for copies. */
    neighbour_ratio: measuredFigureSchema,
    /** AUC of guessing who was trained on, by nearness to synthetic rows. */
    membership_inference: measuredFigureSchema,
    membership: z.array(membershipAttackSchema).default([]),
    /** How much oftener a cell of a training row is guessed from the synthetic table than that of a held-out row. */
    attribute_inference: z.array(z.object({ column: z.string(), why: z.string(), advantage: measuredFigureSchema })),
    /** The same for an attacker who knows one or two columns alone and reads another off the table: the surest look-ups. */
    look_ups: z
      .array(z.object({ known: z.array(z.string()), column: z.string(), advantage: measuredFigureSchema }))
      .default([]),
    /** Share of training rows among the persons whom a synthetic row singles out, held-out rows weighted up. */
    singling_out: measuredFigureSchema,
    /** How much oftener attacks are right about training rows than about held-out ones, 0 to 1; `upper` bounds it. */
    singling_out_excess: laterFigureSchema,
    linkability_excess: laterFigureSchema,
    attribute_excess: laterFigureSchema,
    /** Share of texts with a long run of characters that stands in a training text; the worst text column. */
    text_memorisation: measuredFigureSchema,
    worst_text_column: z.string().nullable(),
  })
  .catchall(z.json());

export type PrivacyMetrics = z.infer<typeof privacyMetricsSchema>;

// What a finished job says of its texts, column by column.

const textMetricsSchema = z.object({
  /** Whether the language model started from a base; null where there is none, or in a record that is older than this field. */
  from_base: z.boolean().nullable().default(null),
  columns: z.array(
    z.object({
      column: z.string(),
      /** What the texts were left to; null in a record that is older than this field. */
      writer: z.enum(TEXT_WRITERS).nullable().default(null),
      /** What held-out texts cost under an n-gram trained on the synthetic ones; `holdout`: trained on real ones. */
      bits_per_character: measuredFigureSchema,
      /** Kolmogorov-Smirnov distance of lengths in characters. */
      length: measuredFigureSchema,
      /** Share of held-out words that stand in the synthetic texts. */
      vocabulary: measuredFigureSchema,
      /** Share of held-out rows whose column is guessed from the text, by a classifier trained on the synthetic rows. */
      agreement: z.array(z.object({ with: z.string(), accuracy: measuredFigureSchema })),
      /** Share of texts that stand, whole, among the training texts. */
      copies: measuredFigureSchema,
    }),
  ),
  columns_left_out: z.int(),
});

export type TextMetrics = z.infer<typeof textMetricsSchema>;

// All of it.

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
  /**
   * Rows kept from the models; or models fitted again to parts of a small table; or halves of the real rows beside a table
   * that was made elsewhere, by which no attack can be judged; or none where nothing of it is possible.
   */
  method: z.enum(['holdout', 'cross-fitting', 'halves', 'none']),
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
  /** What the figures come to; null in a record that is older than this field. */
  verdicts: z.array(judgementSchema).nullable().default(null),
  /** The target's model; null where there is no target, or in a record that is older than this field. */
  regression: jobRegressionSchema.nullable().default(null),
  /** Null in a record that is older than this field. */
  measured_on: measuredOnSchema.nullable().default(null),
  fidelity: fidelityMetricsSchema.nullable().default(null),
  utility: utilityMetricsSchema.nullable().default(null),
  privacy: privacyMetricsSchema.nullable().default(null),
  /** Null as well where there is no text column. */
  text: textMetricsSchema.nullable().default(null),
  /** Null where no release policy was asked for and there are enough real rows. */
  release: releaseMetricsSchema.nullable().default(null),
  /** What a table that was made with `privacy` keeps to; left out for every other. */
  formal_privacy: formalPrivacySchema.exactOptional(),
  /** The same figures for real rows that no model saw; null where there were too few to keep apart. */
  holdout: numericMetricsSchema.omit({ family: true }).nullable(),
  /** Rows that each figure was computed on. */
  sample_sizes: z.record(z.string(), z.int()),
  /** Why a figure is null, what was subsampled, what a model said of itself. */
  notes: z.array(z.string()),
});

/** What is measured of a synthetic table, beside held-out real rows. A figure that is not available is null, and `notes` says why. */
export type JobMetrics = z.infer<typeof jobMetricsSchema>;
