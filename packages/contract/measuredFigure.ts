/** One figure of a synthetic table beside the same figure of real rows and of tables that are no models. */
import { z } from 'zod';

/** Null where it cannot be had. */
export const figure = z.number().nullable();

/** Against real rows that no model saw: 'suspiciously better' where only copying explains it. */
const VERDICTS = ['worse', 'as good', 'suspiciously better'] as const;

export type Verdict = (typeof VERDICTS)[number];

export const measuredFigureSchema = z.object({
  /** Null where it cannot be had; `reason` says why. */
  value: figure,
  /** Its 95 % interval, where it is an estimate. */
  low: figure,
  high: figure,
  /** One-sided 95 % upper bound of an excess: what a release may be bound to. Left out for every other figure. */
  upper: z.number().exactOptional(),
  /** Rows (cells, guesses, texts) that it is computed on. */
  rows: z.int(),
  reason: z.string().nullable(),
  /** What real rows must score by symmetry, where that is known beforehand. */
  ideal: figure,
  /** What real rows get (those kept from the models; in fidelity, training rows beside those), independent columns, and for real rows with a tenth of their cells swapped. */
  holdout: figure,
  independent: figure,
  swapped: figure,
  /** Null where there are no real rows to judge by. */
  verdict: z.enum(VERDICTS).nullable(),
});

export type MeasuredFigure = z.infer<typeof measuredFigureSchema>;
