/** Figures as a report writes them. */
import type { GridReport } from '../../domain/schema/report.ts';
import { percent } from '../../domain/table/wording.ts';

/** "0.63"; a dash where there is none. */
export function decimal(value: number | null): string {
  if (value === null) return '–';
  const size = Math.abs(value);
  if (size >= 1e6) return value.toExponential(2);
  if (size < 0.001) return String(Number(value.toFixed(5)));
  return size >= 100 ? value.toFixed(0) : String(Number(value.toFixed(3)));
}

export const share = (value: number | null): string => (value === null ? '–' : percent(value));

export const MEASURES: Record<GridReport['measure'], string> = {
  pearson: 'Pearson’s correlation',
  spearman: 'Spearman’s correlation',
  correlation_ratio: 'correlation ratio',
  cramers_v: 'Cramér’s V',
};
