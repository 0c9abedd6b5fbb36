/** The figures that alarms and the dashboard read. */
import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../domain/job/metricNames.ts';

export type OwnMetric = (name: MetricName, statistic?: string, period?: Duration) => Metric;

export const ownMetrics =
  (namespace: string): OwnMetric =>
  (metricName, statistic = Stats.MAXIMUM, period = Duration.minutes(1)) =>
    new Metric({ namespace, metricName, statistic, period });
