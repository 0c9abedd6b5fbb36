/** Batch's state changes of this service's jobs, to the reconciler at once instead of within a minute. */
import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

/** SUBMITTED and PENDING say nothing that the record does not. RUNNABLE and STARTING come again after a run was lost. */
const STATES = ['RUNNABLE', 'STARTING', 'RUNNING', 'SUCCEEDED', 'FAILED'];

export class JobEvents extends Construct {
  constructor(scope: Construct, id: string, props: { queueArns: readonly string[]; reconcile: IFunction }) {
    super(scope, id);
    new Rule(this, 'StateChange', {
      description: 'A job of this service changed its state in Batch',
      eventPattern: {
        source: ['aws.batch'],
        detailType: ['Batch Job State Change'],
        detail: { jobQueue: [...props.queueArns], status: STATES },
      },
      // An event that is lost costs a minute: the schedule is the last word. No dead-letter queue is needed.
      targets: [new LambdaTarget(props.reconcile, { retryAttempts: 3, maxEventAge: Duration.minutes(10) })],
    });
  }
}
