/** Routes are served and described (GET /docs) from the same object. */
import type { z } from 'zod';
import type { ErrorCode } from '../../packages/contract/reasons.ts';
import { MIN_REAL_ROWS } from '../../packages/contract/releasePolicy.ts';
import { REQUESTS_PER_KEY } from './atWork.ts';
import type { ApiContext } from './context.ts';
import { HTTP_STATUS } from './refused.ts';

export interface Refusal {
  status: number;
  code: ErrorCode;
  when: string;
}

/** `status` differs from the code's own only for 404 `invalid_job`. */
export const refusal = (code: ErrorCode, when: string, status: number = HTTP_STATUS[code]): Refusal => ({
  status,
  code,
  when,
});

export type Access = 'key' | 'key or bearer' | 'public';

/** JSON if it has a schema, else text of `contentType`, else no body. */
export interface FurtherAnswer {
  status: number;
  description: string;
  schema?: z.ZodType;
  contentType?: string;
}

/**
 * Permissions of a handler beyond keys and stored answers; a Lambda function gets only those of its routes
 * (`infra/grants.ts`).
 */
export type Need =
  | 'count jobs'
  | 'list jobs'
  | 'find job'
  | 'find callback'
  | 'see queue'
  | 'take upload'
  | 'repeat upload'
  | 'read profile'
  | 'read columns'
  | 'read result'
  | 'read report'
  | 'read manifest'
  | 'start job'
  | 'start sample'
  | 'start comparison'
  | 'cancel job'
  | 'release rows'
  | 'erase job'
  | 'sign'
  | 'name signing key'
  | 'share callback secret'
  | 'give assistant bundle';

export interface Route {
  method: 'get' | 'post' | 'delete';
  /** Hono pattern such as '/status/:job_id'. */
  path: string;
  /** Hono pattern to match instead, if the parameter is not a whole segment. */
  pattern?: string;
  access: Access;
  summary: string;
  description: string;
  /** The handler uses `idempotent`. */
  repeatable?: true;
  needs?: readonly Need[];
  /** Their needs are included. */
  calls?: readonly Route[];
  /** Sends while computing, for up to fifteen minutes. */
  streams?: true;
  /** Query parameters, all optional. */
  query?: z.ZodObject;
  request?: { contentType: string; schema: z.ZodType; example: unknown };
  reply:
    | { contentType: 'application/json'; status?: 200 | 201; data: z.ZodType; description: string; example: unknown }
    | { contentType: string; description: string; example?: string };
  /** Answers of other protocols, or without a body. */
  besides?: readonly FurtherAnswer[];
  /** Beyond those shared by all routes. */
  refusals: readonly Refusal[];
  handle(c: ApiContext): Response | Promise<Response>;
}

export const UNKNOWN_IN_PATH = refusal('invalid_job', 'This key has no job with this id.', 404);
export const UNKNOWN_IN_BODY = refusal('invalid_job', 'job_id is missing, not a string, or not known to this key.');
export const WITHHELD = refusal(
  'withheld',
  'The release policy withholds the rows of this job; POST /jobs/{job_id}/release releases them.',
);
export const NO_RESULT = refusal('no_result', 'The job is not finished, has failed, or its result was erased.');
export const BAD_BODY = refusal('invalid_request', 'The body is not a JSON object in UTF-8.');
export const BODY_TOO_LARGE = refusal('request_too_large', 'The body is larger than 1 MB.');
export const BAD_FIELD = refusal(
  'invalid_parameter',
  'A field has the wrong type or is out of bounds; the message names the field and its bounds.',
);
export const FEW_ROWS = refusal(
  'too_few_rows',
  `The upload has fewer than ${MIN_REAL_ROWS} rows, and allow_few_rows is not true.`,
);

export const NO_COLUMN = refusal(
  'column_not_found',
  'A named column is not in the file; the message lists the available ones.',
);

export const STORAGE_FULL = refusal('storage_full', 'The storage is full.');
export const NO_TARGET = refusal('missing_target', 'Neither target_col nor text_cols is given.');

export const NOT_STARTED = [
  refusal(
    'capacity_exceeded',
    'The service is full (3 running jobs by default), or has too little memory for the job; Retry-After says when to try again, in seconds.',
  ),
  refusal('compute_unavailable', 'No process or machine could be had for the job; try again after Retry-After.'),
  STORAGE_FULL,
] as const;

export const REPEATABLE = [
  refusal('invalid_request', 'Idempotency-Key is not 1 to 200 visible ASCII characters.'),
  refusal('request_in_progress', 'The first request with this Idempotency-Key is still running.'),
  refusal('idempotency_key_reused', 'This Idempotency-Key was used for another request within the last 24 hours.'),
] as const;

export const WITH_KEY = [
  refusal('unauthorized', 'X-API-Key is missing or not valid.'),
  refusal(
    'too_many_requests',
    `Too many requests of this key are being answered (${REQUESTS_PER_KEY} by default); or too many wrong keys have come from this address; Retry-After says when to try again, in seconds.`,
  ),
] as const;

export const EVERYWHERE = [
  refusal('request_timeout', 'The request did not arrive in time.'),
  refusal('headers_too_large', 'The headers are larger than 64 KB in total, or there are more than 1,000.'),
  refusal('storage_unavailable', 'The storage cannot be reached or written.'),
  refusal('internal_error', 'A fault in the service; the message has a request id to tell the operator.'),
] as const;
