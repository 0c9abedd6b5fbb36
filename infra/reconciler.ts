/** What runs by the clock: every minute the reconciler, every day the expiry. */
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

export class Reconciler extends Construct {
  constructor(scope: Construct, id: string, props: { reconcile: IFunction; expire: IFunction }) {
    super(scope, id);
    new Rule(this, 'EveryMinute', {
      description: 'Frees slots of jobs that ended, vanished or never started',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaTarget(props.reconcile, { retryAttempts: 0 })],
    });
    new Rule(this, 'EveryDay', {
      description: 'Erases uploads and results whose time is over',
      schedule: Schedule.cron({ minute: '17', hour: '3' }),
      targets: [new LambdaTarget(props.expire, { retryAttempts: 2 })],
    });
  }
}
