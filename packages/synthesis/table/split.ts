import type { ModelTable } from '../models/model.ts';

/** Training rows and held-out rows. */
export interface Split {
  train: ModelTable;
  /** Null if there are too few rows. */
  holdout: ModelTable | null;
}
