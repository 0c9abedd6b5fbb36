import type { ModelTable } from '../models/model.ts';

/** Real rows that models see, and those that they do not. */
export interface Split {
  train: ModelTable;
  /** Null if there are too few rows to hold any out. */
  holdout: ModelTable | null;
}
