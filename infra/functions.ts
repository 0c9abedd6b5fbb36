import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, type IFunction, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ANSWER_TIMEOUT, STREAM_TIMEOUT } from './api.ts';
import { acknowledgeStars } from './cdk.ts';
import { type Access, grantsOf, type Targets } from './grants.ts';
import { descriptionOf, type FunctionName, handlerOf, isTimed, mapFunctions, needs, streams } from './lambdas.ts';
import type { Settings } from './settings.ts';
import { removalPolicy } from './storage.ts';

/** MB; more than most need, since processor share and cold starts depend on it. */
const MEMORY = 1024;
const UPLOAD_MEMORY = 3008;

const TIMED_LIMITS = {
  reconcile: { memory: 512, timeout: Duration.seconds(55) },
  expire: { memory: 512, timeout: Duration.minutes(15) },
};

function limitsOf(name: FunctionName): Pick<ServiceFunctionProps, 'memory' | 'timeout'> {
  if (isTimed(name)) return TIMED_LIMITS[name];
  return {
    memory: needs(name, 'take upload') ? UPLOAD_MEMORY : MEMORY,
    timeout: streams(name) ? STREAM_TIMEOUT : ANSWER_TIMEOUT,
  };
}

interface ServiceFunctionsProps {
  settings: Settings;
  folderOf(name: FunctionName): string;
  access: Access;
  targets: Targets;
  environment: Record<string, string>;
}

export class ServiceFunctions extends Construct {
  readonly byName: Readonly<Record<FunctionName, LambdaFunction>>;

  constructor(scope: Construct, id: string, props: ServiceFunctionsProps) {
    super(scope, id);
    const create = (name: FunctionName): LambdaFunction =>
      new ServiceFunction(this, name, {
        name,
        folder: props.folderOf(name),
        settings: props.settings,
        environment: props.environment,
        statements: grantsOf(name)(props.access, props.targets),
        ...limitsOf(name),
      }).fn;
    this.byName = mapFunctions(create);
  }
}

interface ServiceFunctionProps {
  name: FunctionName;
  folder: string;
  settings: Settings;
  environment: Record<string, string>;
  statements: readonly PolicyStatement[];
  /** MB; the processor share grows with it. */
  memory: number;
  timeout: Duration;
}

class ServiceFunction extends Construct {
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
      description: descriptionOf(props.name),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(props.folder),
      handler: handlerOf(props.name),
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

/** SUBMITTED and PENDING add nothing to the record. RUNNABLE and STARTING recur after a lost run. */
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
      // A lost event costs a minute, so no dead-letter queue is needed.
      targets: [new LambdaTarget(props.reconcile, { retryAttempts: 3, maxEventAge: Duration.minutes(10) })],
    });
  }
}
