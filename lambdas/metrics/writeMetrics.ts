/** Figures for CloudWatch, as lines of the log in its embedded metric format: no call, and nothing to be allowed. */
import type { MetricName } from '../../domain/job/metricNames.ts';

export type Figures = Partial<Record<MetricName, number>>;

const UNITS: Partial<Record<MetricName, string>> = { OldestWaitingSeconds: 'Seconds' };

export function metricLine(namespace: string, figures: Figures, at: Date): string {
  const metrics = Object.keys(figures).map((name) => ({ Name: name, Unit: UNITS[name as MetricName] ?? 'Count' }));
  const directive = { Namespace: namespace, Dimensions: [[]], Metrics: metrics };
  return JSON.stringify({ _aws: { Timestamp: at.getTime(), CloudWatchMetrics: [directive] }, ...figures });
}
