/** What a finished job says of whom its table gives away. 'worse' means that training rows are nearer than real rows are. */
import { z } from 'zod';
import { measuredFigureSchema } from './measuredFigure.ts';

export const privacyMetricsSchema = z.object({
  /** Shares of synthetic rows, 0 to 1. */
  exact_copies: measuredFigureSchema,
  /** Copies of training rows that stand there once. */
  unique_copies: measuredFigureSchema,
  near_copies: measuredFigureSchema,
  /** Share of synthetic rows nearer to training rows than to as many held-out rows, ties half; 0.5 is ideal. */
  dcr_share: measuredFigureSchema,
  /** The same over the group of columns in which it is worst; its interval allows for having chosen. */
  dcr_share_worst: measuredFigureSchema,
  worst_columns: z.array(z.string()),
  /** Distance to the nearest training row over that to the second nearest, mean; near 0 for copies. */
  neighbour_ratio: measuredFigureSchema,
  /** AUC of guessing who was trained on, by nearness to synthetic rows. */
  membership_inference: measuredFigureSchema,
  /** How much oftener a cell of a training row is guessed from the synthetic table than that of a held-out row. */
  attribute_inference: z.array(z.object({ column: z.string(), why: z.string(), advantage: measuredFigureSchema })),
  /** Share of training rows among the persons whom a synthetic row singles out, held-out rows weighted up. */
  singling_out: measuredFigureSchema,
  /** Share of texts with a long run of characters that stands in a training text; the worst text column. */
  text_memorisation: measuredFigureSchema,
  worst_text_column: z.string().nullable(),
});

export type PrivacyMetrics = z.infer<typeof privacyMetricsSchema>;
