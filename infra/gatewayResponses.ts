/** What API Gateway answers by itself, in the service's envelope. */
import { GatewayResponse, type IRestApi, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { ErrorCode } from '../domain/errors.ts';
import { byInterface } from './byInterface.ts';

interface OwnAnswer {
  type: ResponseType;
  /** API Gateway's own where left out. */
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
const NO_ROUTE = 'There is nothing at this address. GET /api-docs lists what there is.';

/** What API Gateway says where a request has no method: in no other case does a service without its signatures meet these. */
const WITHOUT_ROUTE = [
  ResponseType.MISSING_AUTHENTICATION_TOKEN,
  ResponseType.INVALID_SIGNATURE,
  ResponseType.EXPIRED_TOKEN,
  ResponseType.RESOURCE_NOT_FOUND,
];

/** `uploadLimitBytes` where uploads come this way and have a smaller limit. */
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

export function dressOwnAnswers(
  api: RestApi,
  options: { uploadLimitBytes: number | undefined; corsOrigins: string },
): void {
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

/** API Gateway can only say one fixed origin, or all. */
function corsHeader(origins: string): Record<string, string> {
  if (origins === '' || origins.includes(',')) return {};
  return {
    'Access-Control-Allow-Origin': `'${origins}'`,
    'Access-Control-Expose-Headers': "'X-Request-Id, Retry-After'",
  };
}
