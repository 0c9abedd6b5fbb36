import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../adapters/aws/names.ts';
import { root } from '../support/imports.ts';
import { list } from './support/policies.ts';
import { at, flat, OTHERWISE, ofType, type Resource, synthesise, type Template } from './support/synthesise.ts';

const { template, stack } = synthesise();

const named = (from: Template, type: string, part: string): Resource => {
  const found = ofType(from, type).filter(([id]) => id.includes(part));
  if (!found[0] || found.length > 1) throw new Error(`There are ${found.length} of ${type} named ${part}.`);
  return found[0][1];
};

const fileOf = (arn: unknown): string => {
  const id = /<(\w+)\.Arn>/.exec(flat(arn))?.[1] ?? '';
  return /lambdas\/(\w+)\.ts/.exec(String(template.Resources[id]?.Properties.Description))?.[1] ?? '';
};

describe('events', () => {
  it("are Batch's state changes of this stack's two queues alone, to the reconciler", () => {
    const { Properties } = named(template, 'AWS::Events::Rule', 'StateChange');
    const pattern = Properties.EventPattern;
    expect([at(pattern, 'source'), at(pattern, 'detail-type')]).toEqual([['aws.batch'], ['Batch Job State Change']]);
    expect(list(at(pattern, 'detail', 'jobQueue')).map(flat)).toEqual([
      'arn:<AWS::Partition>:batch:<AWS::Region>:<AWS::AccountId>:job-queue/synthetic-tables-dev-gpu',
      'arn:<AWS::Partition>:batch:<AWS::Region>:<AWS::AccountId>:job-queue/synthetic-tables-dev-cpu',
    ]);
    expect(at(pattern, 'detail', 'status')).toEqual(expect.arrayContaining(['RUNNING', 'SUCCEEDED', 'FAILED']));
    expect(fileOf(at(Properties, 'Targets', 0, 'Arn'))).toBe('reconcile');
  });

  it('come by the clock each minute to the reconciler, each day to the expiry', () => {
    const minute = named(template, 'AWS::Events::Rule', 'EveryMinute').Properties;
    const day = named(template, 'AWS::Events::Rule', 'EveryDay').Properties;
    expect([minute.ScheduleExpression, fileOf(at(minute, 'Targets', 0, 'Arn'))]).toEqual([
      'rate(1 minute)',
      'reconcile',
    ]);
    expect([day.ScheduleExpression, fileOf(at(day, 'Targets', 0, 'Arn'))]).toEqual(['cron(17 3 * * ? *)', 'expire']);
  });
});

/** Names of the service's own figures that an alarm reads. */
function ownMetrics({ Properties }: Resource): string[] {
  const single = [{ Namespace: Properties.Namespace, MetricName: Properties.MetricName }];
  const several = list(Properties.Metrics).map((part) => at(part, 'MetricStat', 'Metric'));
  return [...single, ...several]
    .filter((metric) => at(metric, 'Namespace') === 'synthetic-tables-dev')
    .map((metric) => String(at(metric, 'MetricName')));
}

describe('a job on the GPU queue', () => {
  it('runs on CUDA or fails; one on the CPU queue takes what there is', () => {
    const backends = ofType(template, 'AWS::Batch::JobDefinition').map(([id, { Properties }]) => [
      id.includes('Gpu'),
      list(at(Properties, 'ContainerProperties', 'Environment')).find((own) => at(own, 'Name') === 'TENSOR_BACKEND'),
    ]);
    expect(backends.sort()).toEqual([
      [false, undefined],
      [true, { Name: 'TENSOR_BACKEND', Value: 'cuda' }],
    ]);
  });
});

describe('alarms', () => {
  it('read figures that the reconciler writes, under the name that it is told', () => {
    const known: readonly string[] = Object.values(METRICS);
    const read = ofType(template, 'AWS::CloudWatch::Alarm').flatMap(([, alarm]) => ownMetrics(alarm));
    expect(read.length).toBeGreaterThan(4);
    expect(read.filter((name) => !known.includes(name))).toEqual([]);
    const [, fn] = ofType(template, 'AWS::Lambda::Function').find(([id]) => id.includes('reconcile')) ?? [];
    expect(at(fn, 'Properties', 'Environment', 'Variables', 'METRICS_NAMESPACE')).toBe('synthetic-tables-dev');
  });

  it('are these', () => {
    const ids = ofType(template, 'AWS::CloudWatch::Alarm').map(([id]) => id.replace(/^WatchAlarms|[0-9A-F]{8}$/g, ''));
    expect(ids.sort()).toEqual(
      [
        'ExpiryFails',
        'GpuFails',
        'JobWaits',
        'JobsFail',
        'ReconcilerFails',
        'ReconcilerSilent',
        'QueueLong',
        'ServerErrors',
        'SlotLeaks',
        'TableThrottles',
        'UploadsDown',
      ].sort(),
    );
  });

  it('are explained in the manual, each of them', () => {
    const manual = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');
    const ids = ofType(template, 'AWS::CloudWatch::Alarm').map(([id]) => id.replace(/^WatchAlarms|[0-9A-F]{8}$/g, ''));
    expect(ids.filter((id) => !manual.includes(`| \`${id}\` |`))).toEqual([]);
  });

  it('fire where the reconciler, or every task of the upload service, falls silent', () => {
    for (const name of ['ReconcilerSilent', 'UploadsDown']) {
      const { Properties } = named(template, 'AWS::CloudWatch::Alarm', name);
      expect([Properties.TreatMissingData, Properties.ComparisonOperator]).toEqual(['breaching', 'LessThanThreshold']);
    }
  });

  it('go to the address that is given', () => {
    const { Properties } = named(synthesise(OTHERWISE).template, 'AWS::SNS::Subscription', '');
    expect(Properties.Endpoint).toBe('operator@example.org');
  });

  it('come without a budget where it is set to nothing', () => {
    expect(ofType(synthesise(OTHERWISE).template, 'AWS::Budgets::Budget')).toEqual([]);
  });
});

describe('what is kept', () => {
  it('outlives the stack at the stage prod alone', () => {
    const kept = (from: Template) =>
      Object.values(from.Resources)
        .filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain')
        .map(({ Type }) => Type);
    const types = (from: Template) => [...new Set(kept(from))].sort();
    // The role by which API Gateway logs belongs to the account, not to the stack.
    const account = ['AWS::ApiGateway::Account', 'AWS::IAM::Role'];
    expect(types(template)).toEqual(account);
    const data = ['AWS::DynamoDB::Table', 'AWS::Logs::LogGroup', 'AWS::S3::Bucket'];
    expect(types(synthesise(OTHERWISE).template)).toEqual([...account, ...data].sort());
  });

  it('is erased by the bucket itself, in the end, but not before the service may want it', () => {
    const HOURS = 24 + 720;
    const { Properties } = named(template, 'AWS::S3::Bucket', 'Data');
    const rules = list(at(Properties, 'LifecycleConfiguration', 'Rules'));
    const days = Number(
      at(
        rules.find((rule) => at(rule, 'Prefix') === 'jobs/'),
        'ExpirationInDays',
      ),
    );
    expect(days).toBeGreaterThan(HOURS / 24);
    expect(rules.some((rule) => at(rule, 'AbortIncompleteMultipartUpload', 'DaysAfterInitiation') === 1)).toBe(true);
  });
});

describe('the template', () => {
  it('needs no account, no region and no look-up', () => {
    expect([stack.account, stack.region].map((name) => /Token/.test(name))).toEqual([true, true]);
    expect(JSON.stringify(template)).not.toMatch(/dummy|ssm:parameter:(?!.*bootstrap)/i);
  });

  it('names as many zones as are set, by number', () => {
    const zones = (from: Template) =>
      new Set(
        ofType(from, 'AWS::EC2::Subnet').map(([, { Properties }]) => JSON.stringify(Properties.AvailabilityZone)),
      );
    expect([zones(template).size, zones(synthesise(OTHERWISE).template).size]).toEqual([3, 2]);
    expect([...zones(template)][0]).toBe('{"Fn::Select":[0,{"Fn::GetAZs":""}]}');
  });
});
