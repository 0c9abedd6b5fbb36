/** What a finished job says of its texts, column by column. */
import { z } from 'zod';
import { measuredFigureSchema } from './measuredFigure.ts';

export const textMetricsSchema = z.object({
  columns: z.array(
    z.object({
      column: z.string(),
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
