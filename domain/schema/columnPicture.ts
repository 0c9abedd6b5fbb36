/** POST /upload: what a small picture of a column is drawn from. */
import { z } from 'zod';

export const columnPictureSchema = z.discriminatedUnion('kind', [
  /** Of numbers, and of times as numbers of their dress's unit since 1970. */
  z.object({
    kind: z.literal('quantiles'),
    probabilities: z.array(z.number()),
    values: z.array(z.number()),
    /** The least number, the median and the greatest, as the file writes them. */
    low: z.string(),
    middle: z.string(),
    high: z.string(),
  }),
  z.object({
    kind: z.literal('levels'),
    /** The most frequent levels with their numbers of rows. */
    levels: z.array(z.tuple([z.string(), z.int()])),
    /** Rows of all other levels. */
    others: z.int(),
  }),
  /** Characters of texts and identifiers. */
  z.object({ kind: z.literal('lengths'), min: z.int(), mean: z.number(), max: z.int() }),
]);

export type ColumnPicture = z.infer<typeof columnPictureSchema>;
