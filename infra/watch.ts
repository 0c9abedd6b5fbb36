import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import {
  Alarm,
  AlarmStatusWidget,
  Color,
  ComparisonOperator,
  type CreateAlarmOptions,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Operation, type Table } from 'aws-cdk-lib/aws-dynamodb';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { METRICS, type MetricName } from '../adapters/aws/names.ts';
import type { ServiceFunctions } from './functions.ts';
import { type Settings, stackName } from './settings.ts';
import type { UploadService } from './uploadService.ts';

interface WatchProps {
  settings: Settings;
  api: RestApi;
  table: Table;
  functions: ServiceFunctions['byName'];
  uploads: UploadService | undefined;
}

export class Watch extends Construct {
  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    const { settings, api, functions } = props;
    const metric = ownMetrics(stackName(settings.stage));
    const alarms = new Alarms(this, 'Alarms', { ...props, metric });
    new ServiceDashboard(this, 'Dashboard', { settings, alarms, api, functions, metric });
    if (settings.budgetUsd > 0) new Budget(this, 'Budget', { settings, topic: alarms.topic });
  }
}

// docs/operations.md explains each alarm.

interface AlarmsProps {
  settings: Settings;
  api: RestApi;
  table: Table;
  functions: Readonly<Record<string, LambdaFunction>>;
  uploads: UploadService | undefined;
  metric: OwnMetric;
}

const NEARLY_FULL = 0.8;

const FIVE_MINUTES = Duration.minutes(5);

class Alarms extends Construct {
  readonly topic: Topic;
  readonly all: Alarm[] = [];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { settings, api, metric } = props;
    this.topic = new Topic(this, 'Topic', { displayName: stackName(settings.stage), enforceSSL: true });
    allowPublishing(this.topic, 'cloudwatch.amazonaws.com');
    if (settings.alarmEmail) this.topic.addSubscription(new EmailSubscription(settings.alarmEmail));
    this.#add('ReconcilerFails', functionErrors(props, 'reconcile'), 'The reconciler fails: slots may stay taken.', {
      threshold: 3,
    });
    this.#add(
      'ReconcilerSilent',
      metric(METRICS.slotsTaken, Stats.SAMPLE_COUNT, FIVE_MINUTES),
      'The reconciler does not run.',
      {
        threshold: 1,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.BREACHING,
        evaluationPeriods: 2,
      },
    );
    this.#add(
      'ExpiryFails',
      functionErrors(props, 'expire'),
      'The daily expiry fails: data stay longer than promised.',
    );
    this.#add(
      'ServerErrors',
      api.metricServerError({ period: FIVE_MINUTES, statistic: Stats.SUM }),
      'The API answers 5xx.',
      {
        threshold: 5,
      },
    );
    this.#add('JobsFail', metric(METRICS.failed, Stats.SUM, Duration.hours(1)), 'Three jobs failed within an hour.', {
      threshold: 3,
    });
    this.#add(
      'GpuFails',
      metric(METRICS.gpuUnused, Stats.SUM, Duration.hours(1)),
      'CUDA does not start on a GPU machine.',
      {
        threshold: 1,
      },
    );
    this.#add('JobWaits', metric(METRICS.oldestWaiting), 'A job has waited 20 minutes for a machine.', {
      threshold: 1200,
      evaluationPeriods: 3,
    });
    this.#add('QueueLong', metric(METRICS.queued), 'The queue has been nearly full for 15 minutes.', {
      threshold: Math.ceil(NEARLY_FULL * settings.maxQueuedJobs),
      evaluationPeriods: 15,
    });
    this.#add('SlotLeaks', slotsWithoutJob(metric), 'A slot has been taken without a job for 15 minutes.', {
      threshold: 1,
      evaluationPeriods: 15,
    });
    this.#add('TableThrottles', throttles(props.table), 'DynamoDB refuses requests.', { threshold: 10 });
    if (props.uploads) this.#watchUploads(props.uploads);
  }

  #watchUploads({ targets }: UploadService): void {
    const healthy = targets.metrics.healthyHostCount({ statistic: Stats.MINIMUM, period: Duration.minutes(1) });
    this.#add('UploadsDown', healthy, 'No task of the upload service is healthy.', {
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
      evaluationPeriods: 5,
    });
  }

  #add(id: string, metric: IMetric, alarmDescription: string, options: Partial<CreateAlarmOptions> = {}): void {
    const alarm = new Alarm(this, id, {
      metric,
      alarmDescription,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...options,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
    this.all.push(alarm);
  }
}

const functionErrors = ({ functions }: AlarmsProps, name: string): IMetric => {
  const fn = functions[name];
  if (!fn) throw new Error(`There is no function ${name}.`);
  return fn.metricErrors({ period: FIVE_MINUTES, statistic: Stats.SUM });
};

const slotsWithoutJob = (metric: OwnMetric): IMetric =>
  new MathExpression({
    label: 'Slots without a job',
    expression: 'slots - started - running',
    usingMetrics: {
      slots: metric(METRICS.slotsTaken),
      started: metric(METRICS.started),
      running: metric(METRICS.running),
    },
    period: Duration.minutes(1),
  });

const throttles = (table: Table): IMetric =>
  table.metricThrottledRequestsForOperations({
    operations: [Operation.GET_ITEM, Operation.UPDATE_ITEM, Operation.TRANSACT_WRITE_ITEMS, Operation.QUERY],
    period: FIVE_MINUTES,
    statistic: Stats.SUM,
  });

interface DashboardProps {
  settings: Settings;
  alarms: Alarms;
  api: RestApi;
  functions: Readonly<Record<string, LambdaFunction>>;
  metric: OwnMetric;
}

const HOUR = Duration.hours(1);

class ServiceDashboard extends Construct {
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
    title: 'Jobs by state, slots taken, queue',
    left: [metric(METRICS.started), metric(METRICS.running), metric(METRICS.slotsTaken), metric(METRICS.queued)],
    leftAnnotations: [{ value: settings.maxRunningJobs, label: 'slots', color: Color.GREY }],
    leftYAxis: { min: 0 },
  }),
  new GraphWidget({
    title: 'Jobs ended in an hour',
    left: [
      metric(METRICS.done, Stats.SUM, HOUR),
      metric(METRICS.failed, Stats.SUM, HOUR),
      metric(METRICS.gpuUnused, Stats.SUM, HOUR),
    ],
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

type OwnMetric = (name: MetricName, statistic?: string, period?: Duration) => Metric;

const ownMetrics =
  (namespace: string): OwnMetric =>
  (metricName, statistic = Stats.MAXIMUM, period = Duration.minutes(1)) =>
    new Metric({ namespace, metricName, statistic, period });

/** Must be activated as a cost allocation tag. */
export const COST_TAG = 'service';

const WARNINGS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const;

class Budget extends Construct {
  constructor(scope: Construct, id: string, { settings, topic }: { settings: Settings; topic: Topic }) {
    super(scope, id);
    allowPublishing(topic, 'budgets.amazonaws.com');
    const budget = new CfnBudget(this, 'Monthly', {
      budget: {
        budgetName: stackName(settings.stage),
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: settings.budgetUsd, unit: 'USD' },
        costFilters: { TagKeyValue: [`user:${COST_TAG}$${stackName(settings.stage)}`] },
      },
      notificationsWithSubscribers: WARNINGS.map((warning) => ({
        notification: { ...warning, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
        subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
      })),
    });
    budget.node.addDependency(topic);
  }
}

// A topic with its own policy allows nobody by default.

function allowPublishing(topic: Topic, service: string): void {
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(topic).account } };
  topic.grantPublish(new ServicePrincipal(service, { conditions }));
}
