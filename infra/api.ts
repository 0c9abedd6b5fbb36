/** Sends every method of an address to its function, so that the application answers all. */
import { Duration } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  GatewayResponse,
  type IResource,
  type IRestApi,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ErrorCode } from '../packages/contract/reasons.ts';
import { acknowledge, byInterface, managedPolicy } from './cdk.ts';
import { API_FUNCTIONS, type ApiFunctionName, addressesOf, streams } from './lambdas.ts';
import { type Settings, stackName } from './settings.ts';
import { removalPolicy } from './storage.ts';

/** A Lambda event has 6 MB: 4.5 MB in base64, and headers. */
export const LAMBDA_UPLOAD_BYTES = 4_500_000;

const THROTTLE = { rate: 100, burst: 200 };

export const STREAM_TIMEOUT = Duration.minutes(15);
export const ANSWER_TIMEOUT = Duration.seconds(29);

const ELSEWHERE: ApiFunctionName = 'pages';

/** Treats all types as binary, so that bodies arrive byte for byte. */
const BINARY_TYPES = ['*/*', 'multipart/form-data', 'application/octet-stream'];

interface ApiProps {
  settings: Settings;
  functions: Readonly<Record<ApiFunctionName, LambdaFunction>>;
}

export class Api extends Construct {
  readonly rest: RestApi;

  constructor(scope: Construct, id: string, { settings, functions }: ApiProps) {
    super(scope, id);
    this.rest = this.#create(settings);
    for (const name of API_FUNCTIONS) {
      const integration = integrate(name, functions[name]);
      const elsewhere = name === ELSEWHERE ? ['/{proxy+}'] : [];
      for (const path of [...addressesOf(name), ...elsewhere]) {
        resourceAt(this.rest.root, path).addMethod('ANY', integration);
      }
    }
    setOwnAnswers(this.rest, {
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
        // Metrics per method would cost more than everything else at rest.
        metricsEnabled: false,
        loggingLevel: MethodLoggingLevel.ERROR,
        // Never log bodies and headers, which contain keys.
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

/** Logs the route's pattern, since an address may contain anything. */
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
  if (!streams(name)) return new LambdaIntegration(fn, options);
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

// API Gateway's own answers, in the service's envelope.

interface OwnAnswer {
  type: ResponseType;
  status?: number;
  code: ErrorCode;
  message: string;
  /** Seconds. */
  retryAfter?: number;
}

const BUSY = 'The service is busy. Send the request again in a few seconds.';
const LATE = 'The service did not answer in time. Send the request again in a few seconds.';
const FAULT =
  'Something went wrong in the service, not in your request. Try again; if it persists, tell the operator the X-Request-Id.';
const NOT_ALLOWED = 'The request is not allowed. The key goes in X-API-Key; send no other credentials.';
const NOT_TAKEN =
  'The Content-Type is not one that the service takes. Send application/json, or multipart/form-data for an upload.';
const NOT_READ = 'The request cannot be read. GET /api-docs says what each address takes.';
const NO_ROUTE = 'There is nothing at this address. GET /api-docs lists all calls.';

/** API Gateway gives these for unknown routes, since the service uses no AWS signatures. */
const WITHOUT_ROUTE = [
  ResponseType.MISSING_AUTHENTICATION_TOKEN,
  ResponseType.INVALID_SIGNATURE,
  ResponseType.EXPIRED_TOKEN,
  ResponseType.RESOURCE_NOT_FOUND,
];

const ownAnswers = (uploadLimitBytes: number | undefined): OwnAnswer[] => [
  ...WITHOUT_ROUTE.map((type) => ({ type, status: 404, code: 'not_found', message: NO_ROUTE }) as const),
  { type: ResponseType.ACCESS_DENIED, status: 403, code: 'unauthorized', message: NOT_ALLOWED },
  { type: ResponseType.WAF_FILTERED, status: 403, code: 'unauthorized', message: NOT_ALLOWED },
  { type: ResponseType.REQUEST_TOO_LARGE, status: 413, ...tooLarge(uploadLimitBytes) },
  { type: ResponseType.UNSUPPORTED_MEDIA_TYPE, status: 415, code: 'invalid_request', message: NOT_TAKEN },
  { type: ResponseType.THROTTLED, status: 429, code: 'service_busy', message: BUSY, retryAfter: 2 },
  { type: ResponseType.QUOTA_EXCEEDED, status: 429, code: 'service_busy', message: BUSY, retryAfter: 60 },
  { type: ResponseType.INTEGRATION_TIMEOUT, status: 504, code: 'service_busy', message: LATE, retryAfter: 5 },
  { type: ResponseType.INTEGRATION_FAILURE, status: 502, code: 'internal_error', message: FAULT, retryAfter: 5 },
  { type: ResponseType.DEFAULT_4XX, code: 'invalid_request', message: NOT_READ },
  { type: ResponseType.DEFAULT_5XX, code: 'internal_error', message: FAULT },
];

function tooLarge(uploadLimitBytes: number | undefined): { code: ErrorCode; message: string } {
  if (uploadLimitBytes === undefined) {
    return { code: 'request_too_large', message: 'The body is larger than 10 MB. A JSON request may have 1 MB.' };
  }
  const limit = `${uploadLimitBytes} bytes (${Math.floor((10 * uploadLimitBytes) / 2 ** 20) / 10} MB)`;
  const message = `The body is too large: a file may have ${limit} here, the most that can be uploaded. Upload fewer rows or columns.`;
  return { code: 'file_too_large', message };
}

function setOwnAnswers(api: RestApi, options: { uploadLimitBytes: number | undefined; corsOrigins: string }): void {
  for (const answer of ownAnswers(options.uploadLimitBytes)) {
    new GatewayResponse(api, `Answer${answer.type.responseType}`, {
      restApi: byInterface<IRestApi>(api),
      type: answer.type,
      ...(answer.status ? { statusCode: String(answer.status) } : {}),
      templates: { 'application/json': envelope(answer) },
      responseHeaders: {
        'X-Request-Id': 'context.requestId',
        ...(answer.retryAfter ? { 'Retry-After': `'${answer.retryAfter}'` } : {}),
        ...corsHeader(options.corsOrigins),
      },
    });
  }
}

const envelope = ({ code, message }: OwnAnswer): string =>
  JSON.stringify({ success: false, data: null, error: { code, message } });

/** API Gateway can only send one fixed origin, or all. */
function corsHeader(origins: string): Record<string, string> {
  if (origins === '' || origins.includes(',')) return {};
  return {
    'Access-Control-Allow-Origin': `'${origins}'`,
    'Access-Control-Expose-Headers': "'X-Request-Id, Retry-After'",
  };
}
