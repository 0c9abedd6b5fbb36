/** A finished job, as an example. */
import type { StatusReply } from '../../domain/schema/replies.ts';

export const statusExample: StatusReply = {
  job_id: '0f8c1a…',
  status: 'done',
  progress: ['Step 1: target model for mass', 'Pipeline finished: 1000 rows, 3 columns'],
  metrics: {
    numeric: {
      'KS (Avg)': 0.031,
      'WD (Avg)': 0.042,
      'Corr Diff (F-Norm)': 0.11,
      'DCR (Avg)': 0.37,
      'Duplicate Rate (%)': 0,
      'TSTR R²': 0.76,
      'TSTR RMSE': 391.2,
      family: 'gaussian',
    },
    rows_generated: 1000,
    columns: ['species', 'bill_length', 'mass'],
    seed: 7,
    version: '0.1.0',
    holdout: null,
    sample_sizes: { real: 342, synthetic: 1000 },
    notes: ['holdout is null: the table has fewer than 500 rows'],
  },
  error: null,
};
