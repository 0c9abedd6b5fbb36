/** What each figure of `metrics.numeric` says, in a line. */
import type { NumericMetrics } from './metrics.ts';

export const METRIC_MEANING: Readonly<Record<keyof NumericMetrics, string>> = {
  'KS (Avg)': 'distance between real and synthetic distributions; 0 is equal',
  'WD (Avg)': 'Wasserstein distance in standard deviations; 0 is equal',
  'Corr Diff (F-Norm)': 'distance between correlation matrices; 0 is equal',
  'DCR (Avg)': 'mean distance to the closest real row; near 0 would be copying',
  'Duplicate Rate (%)': 'synthetic rows that equal a real row',
  'TSTR R²': 'trained on synthetic, tested on real: share of variance explained',
  'TSTR RMSE': 'the same as an error in the target’s units',
  family: 'distribution family of the target',
};
