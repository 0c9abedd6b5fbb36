/** The SDK's exceptions as errors of the service: throttled, or out of reach. Others stay what they are: faults. */
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { RETRY_AFTER_SECONDS } from '../../domain/service.ts';

/** Which part of AWS did not answer. */
export type Part = 'records' | 'files' | 'compute';

/** What AWS says, in its several services, where it is asked too much at once. */
const THROTTLED = new Set([
  'BandwidthLimitExceeded',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

/** The connection was never made, so that nothing was asked. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

const UNAVAILABLE: Record<Part, { code: ErrorCode; what: string }> = {
  records: { code: 'storage_unavailable', what: 'The records of the service cannot be reached now.' },
  files: { code: 'storage_unavailable', what: 'The files of the service cannot be reached now.' },
  compute: { code: 'compute_unavailable', what: 'Compute cannot be asked for at the moment.' },
};

const RETRY_AFTER = { 'Retry-After': String(RETRY_AFTER_SECONDS) };

export function awsError(error: unknown, part: Part): unknown {
  if (isThrottled(error)) return busy(error);
  if (!isUnavailable(error)) return error;
  const { code, what } = UNAVAILABLE[part];
  const message = `${what} Send the request again in ${RETRY_AFTER_SECONDS} seconds.`;
  return new ServiceError(code, message, { headers: RETRY_AFTER, cause: error });
}

/** 503 and not 429, which says of a client that all slots are taken. */
export const busy = (cause: unknown): ServiceError =>
  new ServiceError(
    'service_busy',
    `The service is asked more than it can answer at this moment. Send the request again in ${RETRY_AFTER_SECONDS} seconds.`,
    { headers: RETRY_AFTER, cause },
  );

export const isNamed = (error: unknown, ...names: string[]): boolean =>
  error instanceof Error && names.includes(error.name);

export function isThrottled(error: unknown): boolean {
  return error instanceof Error && (THROTTLED.has(error.name) || statusOf(error) === 429);
}

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = statusOf(error);
  return error.name === 'TimeoutError' || NETWORK.has(codeOf(error)) || (status !== undefined && status >= 500);
}

/** Whether AWS has certainly not done what it was asked to do. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = statusOf(error);
  return isThrottled(error) || NOT_SENT.has(codeOf(error)) || (status !== undefined && status >= 400 && status < 500);
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

function statusOf(error: Error): number | undefined {
  if (!('$metadata' in error) || typeof error.$metadata !== 'object' || error.$metadata === null) return undefined;
  const { $metadata } = error;
  return 'httpStatusCode' in $metadata && typeof $metadata.httpStatusCode === 'number'
    ? $metadata.httpStatusCode
    : undefined;
}
