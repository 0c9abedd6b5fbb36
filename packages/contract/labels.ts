import { z } from 'zod';

/** Calibration of a label model on held-out real rows. */
export const labelCalibrationSchema = z.object({
  rows: z.int(),
  /** Tenths of the probability; with more than two levels, each row counts per level. */
  bins: z.array(
    z.object({
      rows: z.int(),
      /** Mean predicted probability, and observed share with a 95 % interval. */
      predicted: z.number(),
      observed: z.number(),
      low: z.number(),
      high: z.number(),
    }),
  ),
  /** Mean absolute error, and its expectation for a perfect model. */
  error: z.number(),
  error_by_chance: z.number(),
  /** Of the model, and of shares alone. */
  log_score: z.number(),
  log_score_of_shares: z.number(),
  /** Share of rows predicted correctly. */
  accuracy: z.number(),
});
export type LabelCalibration = z.infer<typeof labelCalibrationSchema>;

export const labelFactsSchema = z.object({
  /** In the order of the regressions: is it the first; if not, the second; and so on. */
  levels: z.array(z.object({ level: z.string(), rows: z.int() })),
  /** Ordered levels make the regressions continuation ratios. */
  ordered: z.boolean(),
  /** Null without enough held-out rows. */
  calibration: labelCalibrationSchema.nullable(),
});
