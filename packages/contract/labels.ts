/** What a finished job says of a target of labels, beside the figures that regressions of numbers have. */
import { z } from 'zod';

/** How often a target of labels has a level where its model says that it does so often: on held-out real rows. */
export const labelCalibrationSchema = z.object({
  rows: z.int(),
  /** Tenths of the probability that have rows enough; of more than two levels, each row is there once for each level. */
  bins: z.array(
    z.object({
      rows: z.int(),
      /** Mean probability by the model, and share of rows that have the level, with a 95 % interval. */
      predicted: z.number(),
      observed: z.number(),
      low: z.number(),
      high: z.number(),
    }),
  ),
  /** Mean distance of the two, by rows; and what it would be by chance if every probability were right. */
  error: z.number(),
  error_by_chance: z.number(),
  /** Mean log probability of the label that a row has; and without a model, from the shares of the labels alone. */
  log_score: z.number(),
  log_score_of_shares: z.number(),
  /** Share of rows whose most probable label is theirs. */
  accuracy: z.number(),
});
export type LabelCalibration = z.infer<typeof labelCalibrationSchema>;

export const labelFactsSchema = z.object({
  /** With their training rows, in the order in which the regressions ask for them: is it the first; if not, is it the second; and so on. */
  levels: z.array(z.object({ level: z.string(), rows: z.int() })),
  /** Whether that is an order of the levels themselves, so that the regressions are continuation ratios. */
  ordered: z.boolean(),
  /** Null where no rows were held out, or too few. */
  calibration: labelCalibrationSchema.nullable(),
});
