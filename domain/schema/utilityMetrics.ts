/** What a finished job says of what can be learnt from its table. */
import { z } from 'zod';
import { measuredFigureSchema } from './measuredFigure.ts';

export const utilityMetricsSchema = z.object({
  /** R² on real rows of trees trained on synthetic ones; `holdout` is that of trees trained on as many real rows. */
  target: measuredFigureSchema,
  /** Mean one-against-the-rest AUC for each category column of 2 to 20 levels, trained and tested likewise. */
  categories: z.array(z.object({ column: z.string(), levels: z.int(), auc: measuredFigureSchema })),
  /** Mean overlap of the 95 % intervals of a linear regression's coefficients; 1 where they are the same. */
  coefficients: measuredFigureSchema,
  /** Category columns that were not looked at, since there are too many. */
  columns_left_out: z.int(),
});

export type UtilityMetrics = z.infer<typeof utilityMetricsSchema>;
