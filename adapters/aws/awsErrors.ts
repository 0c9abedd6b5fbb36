/** Other errors are faults and stay unchanged. */

import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { RefusalReason } from '../../packages/contract/reasons.ts';
import { RETRY_AFTER_SECONDS } from '../../service/service.ts';

type Part = 'records' | 'files' | 'compute';

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

/** The connection was never made, so nothing was asked. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

const UNAVAILABLE = {
  records: 'records_unreachable',
  files: 'files_unreachable',
  compute: 'compute_unreachable',
} as const satisfies Record<Part, RefusalReason>;

export function awsError(error: unknown, part: Part): unknown {
  if (isThrottled(error)) return busy(error);
  if (!isUnavailable(error)) return error;
  const params = { reason: UNAVAILABLE[part], seconds: RETRY_AFTER_SECONDS };
  return new ServiceError(params, { cause: error });
}

export async function guarded<T>(part: Part, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw awsError(error, part);
  }
}

/** Uses 503, since 429 means that a client finds all slots taken. */
export const busy = (cause: unknown): ServiceError =>
  new ServiceError({ reason: 'throttled', seconds: RETRY_AFTER_SECONDS }, { cause });

export const isNamed = (error: unknown, ...names: string[]): boolean =>
  error instanceof Error && names.includes(error.name);

export function isThrottled(error: unknown): boolean {
  return error instanceof Error && (THROTTLED.has(error.name) || statusOf(error) === 429);
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = statusOf(error);
  return error.name === 'TimeoutError' || NETWORK.has(codeOf(error)) || (status !== undefined && status >= 500);
}

/** Whether AWS certainly did nothing. */
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

export interface RetryRule {
  isPassing(error: unknown): boolean;
  tries: number;
  /** Upper bound of the first random wait (ms); doubles each time. */
  firstWaitMs: number;
  maxWaitMs: number;
}

/** Waits randomly ("full jitter"). Throws the last error. */
export async function withRetries<T>(rule: RetryRule, work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried >= rule.tries || !rule.isPassing(error)) throw error;
      await sleep(Math.random() * Math.min(rule.maxWaitMs, rule.firstWaitMs * 2 ** (tried - 1)));
    }
  }
}
