/** One page that shows how the service fares. */
import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AlarmStatusWidget, Color, Dashboard, GraphWidget, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { METRICS } from '../domain/job/metricNames.ts';
import type { Alarms } from './alarms.ts';
import type { OwnMetric } from './metrics.ts';
import { stackName } from './names.ts';
import type { Settings } from './settings.ts';

export interface DashboardProps {
  settings: Settings;
  alarms: Alarms;
  api: RestApi;
  functions: Readonly<Record<string, LambdaFunction>>;
  metric: OwnMetric;
}

const HOUR = Duration.hours(1);

export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    new Dashboard(this, 'Dashboard', {
      dashboardName: stackName(props.settings.stage),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: props.alarms.all, width: 24, height: 3 })],
        jobs(props),
        requests(props),
      ],
    });
  }
}

const jobs = ({ metric, settings }: DashboardProps): IWidget[] => [
  new GraphWidget({
    title: 'Jobs by state, slots taken',
    left: [metric(METRICS.started), metric(METRICS.running), metric(METRICS.slotsTaken)],
    leftAnnotations: [{ value: settings.maxRunningJobs, label: 'slots', color: Color.GREY }],
    leftYAxis: { min: 0 },
  }),
  new GraphWidget({
    title: 'Jobs ended in an hour',
    left: [metric(METRICS.done, Stats.SUM, HOUR), metric(METRICS.failed, Stats.SUM, HOUR)],
    stacked: true,
  }),
  new GraphWidget({ title: 'Job minutes in an hour', left: [metric(METRICS.jobMinutes, Stats.SUM, HOUR)] }),
  new GraphWidget({ title: 'Oldest waiting job (s)', left: [metric(METRICS.oldestWaiting)], leftYAxis: { min: 0 } }),
];

const requests = ({ api, functions }: DashboardProps): IWidget[] => [
  new GraphWidget({
    title: 'Requests, 4xx, 5xx',
    left: [api.metricCount(), api.metricClientError(), api.metricServerError()],
    width: 12,
  }),
  new GraphWidget({
    title: 'Milliseconds to answer (p95)',
    left: Object.entries(functions).map(([label, fn]) => fn.metricDuration({ statistic: 'p95', label })),
    width: 12,
  }),
];
