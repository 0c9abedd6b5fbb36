/** API Gateway: every address to the function of its route, whatever the method, so that the application answers all. */
import { Duration } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge, managedPolicy } from './acknowledge.ts';
import { dressOwnAnswers } from './gatewayResponses.ts';
import type { ApiFunctionName } from './lambdaNames.ts';
import { stackName } from './names.ts';
import type { Settings } from './settings.ts';
import { removalPolicy } from './storage.ts';

/** A file that comes by Lambda: 6 MB of event hold 4.5 MB in base64 and leave room for the headers. */
export const LAMBDA_UPLOAD_BYTES = 4_500_000;

const THROTTLE = { rate: 100, burst: 200 };

/** How long a download may take, or a call of an assistant that follows a job. */
export const STREAM_TIMEOUT = Duration.minutes(15);
export const ANSWER_TIMEOUT = Duration.seconds(29);

const PATHS: readonly [path: string, fn: ApiFunctionName][] = [
  ['/', 'pages'],
  ['/{proxy+}', 'pages'],
  ['/health', 'health'],
  ['/upload', 'upload'],
  ['/detect_family', 'detectFamily'],
  ['/estimate', 'estimate'],
  ['/generate', 'generate'],
  ['/sample/{job_id}', 'sample'],
  ['/status/{job_id}', 'status'],
  ['/events/{job_id}', 'events'],
  ['/download/{job_id}', 'download'],
  ['/report/{job_id}', 'report'],
  ['/receipt/{job_id}', 'receipt'],
  ['/receipt-key', 'receipt'],
  ['/callback-secret', 'callbackSecret'],
  ['/jobs', 'listJobs'],
  ['/jobs/{job_id}', 'eraseJob'],
  ['/jobs/{job_id}/cancel', 'cancelJob'],
  ['/jobs/{job_id}/release', 'releaseJob'],
  ['/jobs/{job_id}/columns', 'columns'],
  ['/mcp', 'mcp'],
  ['/mcp/download', 'pages'],
  ['/docs', 'describe'],
];

/** Functions whose answers are streams: a file, or events. */
const STREAMING: readonly ApiFunctionName[] = ['download', 'events', 'mcp'];

/** All types, so that every body arrives byte for byte; those named are the ones that the service itself takes and gives. */
const BINARY_TYPES = ['*/*', 'multipart/form-data', 'application/octet-stream'];

export interface ApiProps {
  settings: Settings;
  functions: Readonly<Record<ApiFunctionName, LambdaFunction>>;
}

export class Api extends Construct {
  readonly rest: RestApi;

  constructor(scope: Construct, id: string, { settings, functions }: ApiProps) {
    super(scope, id);
    this.rest = this.#create(settings);
    const integrations = new Map<ApiFunctionName, LambdaIntegration>();
    for (const [path, name] of PATHS) {
      const integration = integrations.get(name) ?? integrate(name, functions[name]);
      integrations.set(name, integration);
      resourceAt(this.rest.root, path).addMethod('ANY', integration);
    }
    dressOwnAnswers(this.rest, {
      uploadLimitBytes: settings.uploadService ? undefined : LAMBDA_UPLOAD_BYTES,
      corsOrigins: settings.corsOrigins,
    });
    this.#acknowledge();
  }

  #create(settings: Settings): RestApi {
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: settings.logRetentionDays,
      removalPolicy: removalPolicy(settings),
    });
    return new RestApi(this, 'Rest', {
      restApiName: stackName(settings.stage),
      description: 'Synthetic tables',
      endpointTypes: [EndpointType.REGIONAL],
      binaryMediaTypes: BINARY_TYPES,
      cloudWatchRole: true,
      deployOptions: {
        stageName: settings.stage,
        throttlingRateLimit: THROTTLE.rate,
        throttlingBurstLimit: THROTTLE.burst,
        // Figures of each method would cost more than all else at rest; those of the API come for nothing.
        metricsEnabled: false,
        loggingLevel: MethodLoggingLevel.ERROR,
        // Bodies and headers, the keys among them, are never logged.
        dataTraceEnabled: false,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: accessLogFormat(),
      },
    });
  }

  #acknowledge(): void {
    acknowledge(this.rest, {
      APIG2: 'The application checks every request itself, so that its errors say what was found and what to do.',
      APIG3: 'No WAF: eight dollars a month at rest. Stage throttling and the slot limit bound what a flood can cost.',
      APIG4: 'Keys are checked by the application, in constant time; API Gateway knows no keys that authenticate.',
      COG4: 'Clients are programs with keys that the operator gives out, not users of a pool.',
      [managedPolicy('AmazonAPIGatewayPushToCloudWatchLogs')]:
        'The role by which API Gateway writes its logs; AWS asks for this managed policy by name.',
    });
  }
}

/** The pattern of the route, not the address, since a client may put anything into an address. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      time: AccessLogField.contextRequestTime(),
      request_id: AccessLogField.contextRequestId(),
      ip: AccessLogField.contextIdentitySourceIp(),
      method: AccessLogField.contextHttpMethod(),
      route: AccessLogField.contextResourcePath(),
      status: AccessLogField.contextStatus(),
      bytes: AccessLogField.contextResponseLength(),
      ms: AccessLogField.contextResponseLatency(),
      error: AccessLogField.contextErrorResponseType(),
    }),
  );
}

function integrate(name: ApiFunctionName, fn: LambdaFunction): LambdaIntegration {
  const options = { allowTestInvoke: false };
  if (!STREAMING.includes(name)) return new LambdaIntegration(fn, options);
  return new LambdaIntegration(fn, {
    ...options,
    responseTransferMode: ResponseTransferMode.STREAM,
    timeout: STREAM_TIMEOUT,
  });
}

function resourceAt(root: IResource, path: string): IResource {
  const segments = path.split('/').filter((segment) => segment !== '');
  return segments.reduce((at, segment) => at.getResource(segment) ?? at.addResource(segment), root);
}
