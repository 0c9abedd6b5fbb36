import { z } from 'zod';

export const figure = z.number().nullable();

/** Compared with unseen real rows; 'suspiciously better' can only come from copying. */
const VERDICTS = ['worse', 'as good', 'suspiciously better'] as const;

export type Verdict = (typeof VERDICTS)[number];

export const measuredFigureSchema = z.object({
  /** Null if not available; `reason` explains why. */
  value: figure,
  /** 95 % interval of an estimate. */
  low: figure,
  high: figure,
  /** One-sided 95 % upper bound of an excess. Absent for other figures. */
  upper: z.number().exactOptional(),
  /** Rows (cells, guesses, texts) used. */
  rows: z.int(),
  reason: z.string().nullable(),
  /** Expected score of real rows by symmetry, if known. */
  ideal: figure,
  /** Unseen real rows, independent columns, and real rows with a tenth of their cells swapped. */
  holdout: figure,
  independent: figure,
  swapped: figure,
  /** Null without real rows to compare. */
  verdict: z.enum(VERDICTS).nullable(),
});

export type MeasuredFigure = z.infer<typeof measuredFigureSchema>;
