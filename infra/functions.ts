/** All functions of the service. */
import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Access } from './access.ts';
import { ANSWER_TIMEOUT, STREAM_TIMEOUT } from './api.ts';
import { FUNCTION_GRANTS, type Targets } from './grants.ts';
import { type FunctionName, mapFunctions } from './lambdaNames.ts';
import { ServiceFunction } from './serviceFunction.ts';
import type { Settings } from './settings.ts';

/** MB. A gigabyte is more than the memory that most need: it buys the processor that shortens a cold start. */
const MEMORY: Partial<Record<FunctionName, number>> = { upload: 3008, mcp: 3008, reconcile: 512, expire: 512 };
const STANDARD_MEMORY = 1024;

const TIMEOUTS: Partial<Record<FunctionName, Duration>> = {
  download: STREAM_TIMEOUT,
  events: STREAM_TIMEOUT,
  mcp: STREAM_TIMEOUT,
  reconcile: Duration.seconds(55),
  expire: Duration.minutes(15),
};

export interface ServiceFunctionsProps {
  settings: Settings;
  /** The folder of each function's bundle. */
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
        statements: FUNCTION_GRANTS[name](props.access, props.targets),
        memory: MEMORY[name] ?? STANDARD_MEMORY,
        timeout: TIMEOUTS[name] ?? ANSWER_TIMEOUT,
      }).fn;
    this.byName = mapFunctions(create);
  }
}
