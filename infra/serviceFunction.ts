/** A Lambda function with a role and a log group of its own: it may write its log and do what it is given, nothing else. */
import type { Duration } from 'aws-cdk-lib';
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledgeStars } from './acknowledge.ts';
import type { FunctionName } from './lambdaNames.ts';
import type { Settings } from './settings.ts';
import { removalPolicy } from './storage.ts';

export interface ServiceFunctionProps {
  name: FunctionName;
  /** The folder with its index.mjs. */
  folder: string;
  settings: Settings;
  environment: Record<string, string>;
  statements: readonly PolicyStatement[];
  /** MB; the share of a processor grows with it. */
  memory: number;
  timeout: Duration;
}

export class ServiceFunction extends Construct {
  readonly fn: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Log', {
      retention: props.settings.logRetentionDays,
      removalPolicy: removalPolicy(props.settings),
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const policy = new Policy(this, 'Policy', { roles: [role], statements: [this.#writeLog(), ...props.statements] });
    this.fn = new LambdaFunction(this, 'Function', {
      description: `${props.name}: lambdas/${props.name}.ts`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(props.folder),
      handler: 'index.handler',
      role,
      logGroup: this.logGroup,
      environment: props.environment,
      memorySize: props.memory,
      timeout: props.timeout,
    });
    this.fn.node.addDependency(policy);
    acknowledgeStars(policy, policy.document);
  }

  #writeLog(): PolicyStatement {
    return new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [`${this.logGroup.logGroupArn}`],
    });
  }
}
