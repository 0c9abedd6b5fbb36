/** The contract's figures in words. */
import type { NumericMetrics } from '../../domain/schema/metrics.ts';

export interface MetricWords {
  key: Exclude<keyof NumericMetrics, 'family'>;
  title: string;
  meaning: string;
}

export const METRIC_WORDS: readonly MetricWords[] = [
  {
    key: 'KS (Avg)',
    title: 'Shape of single columns',
    meaning: 'Greatest gap between the two cumulative distributions, mean over numeric columns. 0 is equal.',
  },
  {
    key: 'WD (Avg)',
    title: 'Distance of single columns',
    meaning:
      'How far values have to move to turn one distribution into the other, in standard deviations of the real column. 0 is equal.',
  },
  {
    key: 'Corr Diff (F-Norm)',
    title: 'Relations between columns',
    meaning:
      'Size of the difference between the two tables of correlations. 0 is equal; it grows with the number of columns.',
  },
  {
    key: 'DCR (Avg)',
    title: 'Distance to the closest real row',
    meaning:
      'Mean distance from a row to the nearest row that was learnt from. Much less than real rows have would mean copying.',
  },
  {
    key: 'Duplicate Rate (%)',
    title: 'Copied rows',
    meaning: 'Share of rows that stand in the original as they are, in per cent.',
  },
  {
    key: 'TSTR R²',
    title: 'Usefulness for learning',
    meaning:
      'Variance of the real target explained by a model that was trained on the synthetic rows alone. 1 is all of it.',
  },
  {
    key: 'TSTR RMSE',
    title: 'Error when learning from it',
    meaning: 'Typical error of that model on real rows, in units of the target. Less is better.',
  },
];
