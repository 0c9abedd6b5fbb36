/** What wakes somebody up. docs/operations.md says what each alarm means and what to do. */
import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  ComparisonOperator,
  type CreateAlarmOptions,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Operation, type Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { METRICS } from '../domain/job/metricNames.ts';
import { allowPublishing } from './allowPublishing.ts';
import type { OwnMetric } from './metrics.ts';
import { stackName } from './names.ts';
import type { Settings } from './settings.ts';
import type { UploadService } from './uploadService.ts';

export interface AlarmsProps {
  settings: Settings;
  api: RestApi;
  table: Table;
  functions: Readonly<Record<string, LambdaFunction>>;
  uploads: UploadService | undefined;
  metric: OwnMetric;
}

const FIVE_MINUTES = Duration.minutes(5);

export class Alarms extends Construct {
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
    this.#add('JobWaits', metric(METRICS.oldestWaiting), 'A job has waited 20 minutes for a machine.', {
      threshold: 1200,
      evaluationPeriods: 3,
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
