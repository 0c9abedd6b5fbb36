/** What the GPU queue's and the CPU queue's jobs have in common: role, log, environment, retries. */
import { Duration } from 'aws-cdk-lib';
import {
  Action,
  type JobStateTimeLimitAction,
  JobStateTimeLimitActionsAction,
  JobStateTimeLimitActionsReason,
  Reason,
  RetryStrategy,
} from 'aws-cdk-lib/aws-batch';
import { LogDriver } from 'aws-cdk-lib/aws-ecs';
import { Policy, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { EXIT } from '../domain/job/exitCodes.ts';
import { acknowledge, acknowledgeStars } from './acknowledge.ts';
import type { Settings } from './settings.ts';
import { removalPolicy } from './storage.ts';

/** Runs of one attempt, the first included: what Batch starts again after its machine was taken away. */
export const RUNS = 4;

/** In this order; what no rule names ends the attempt: a job that failed by itself would fail again. */
export const RETRY_RULES = [
  RetryStrategy.of(Action.RETRY, Reason.custom({ onExitCode: String(EXIT.handedBack) })),
  RetryStrategy.of(Action.RETRY, Reason.custom({ onStatusReason: 'Host EC2*' })),
  RetryStrategy.of(Action.RETRY, Reason.custom({ onStatusReason: 'Your Spot Task was interrupted*' })),
  RetryStrategy.of(Action.EXIT, Reason.custom({ onReason: '*' })),
];

/** Jobs that no machine can be had for give their place back. The reconciler ends those that wait for another reason. */
export const startLimits = (settings: Settings): JobStateTimeLimitAction[] =>
  Object.values(JobStateTimeLimitActionsReason).map((reason) => ({
    action: JobStateTimeLimitActionsAction.CANCEL,
    reason,
    maxTime: Duration.seconds(settings.startLimit),
  }));

export class JobIdentity extends Construct {
  readonly role: Role;
  readonly executionRole: Role;
  readonly logGroup: LogGroup;
  readonly logging: LogDriver;

  constructor(scope: Construct, id: string, props: { settings: Settings; statements: readonly PolicyStatement[] }) {
    super(scope, id);
    const assumedBy = new ServicePrincipal('ecs-tasks.amazonaws.com');
    this.logGroup = new LogGroup(this, 'Log', {
      retention: props.settings.logRetentionDays,
      removalPolicy: removalPolicy(props.settings),
    });
    this.logging = LogDriver.awsLogs({ logGroup: this.logGroup, streamPrefix: 'job' });
    this.role = new Role(this, 'Role', { assumedBy, description: 'What a job may do' });
    const policy = new Policy(this, 'Policy', { roles: [this.role], statements: [...props.statements] });
    this.executionRole = new Role(this, 'ExecutionRole', { assumedBy, description: 'Pulls the image, opens the log' });
    acknowledgeStars(policy, policy.document);
    acknowledge(this.executionRole, { 'IAM5[Resource::*]': "ECR's GetAuthorizationToken knows no resource." });
  }
}
