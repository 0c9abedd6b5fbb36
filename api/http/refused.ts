import type { ServiceError } from '../../packages/contract/errors.ts';
import type { Problem } from '../../packages/contract/problems.ts';
import type { ErrorCode } from '../../packages/contract/reasons.ts';
import { problemText } from '../../packages/words/problems.ts';

export const HTTP_STATUS = {
  unauthorized: 401,
  missing_file: 400,
  unsupported_file_type: 400,
  empty_file: 400,
  no_data_rows: 400,
  encoding_error: 400,
  parse_error: 400,
  file_too_large: 413,
  request_too_large: 413,
  headers_too_large: 431,
  request_timeout: 408,
  invalid_request: 400,
  invalid_job: 400,
  invalid_parameter: 400,
  missing_target: 400,
  too_few_rows: 400,
  column_not_found: 400,
  job_conflict: 409,
  request_in_progress: 409,
  idempotency_key_reused: 422,
  capacity_exceeded: 429,
  too_many_requests: 429,
  quota_exceeded: 403,
  not_found: 404,
  no_result: 404,
  result_altered: 409,
  withheld: 403,
  release_not_allowed: 403,
  origin_refused: 403,
  method_not_allowed: 405,
  storage_full: 507,
  storage_unavailable: 503,
  compute_unavailable: 503,
  service_busy: 503,
  internal_error: 500,
} as const satisfies Record<ErrorCode, number>;

/** An unknown job is 404 in a path, but a bad request in a body. */
export const statusOf = ({ code }: ServiceError, path: string | undefined): number =>
  code === 'invalid_job' && path?.includes(':') ? 404 : HTTP_STATUS[code];

/** Answers that give `Retry-After`. */
export const ASKS_BACK: ReadonlySet<ErrorCode> = new Set([
  'capacity_exceeded',
  'too_many_requests',
  'request_in_progress',
  'storage_unavailable',
  'compute_unavailable',
  'service_busy',
]);

export function headersOf({ code, params }: ServiceError): Record<string, string> {
  if (ASKS_BACK.has(code) && 'seconds' in params) return { 'Retry-After': String(params.seconds) };
  return 'allowed' in params ? { Allow: params.allowed.join(', ') } : {};
}

export const succeeded = <Data>(data: Data) => ({ success: true as const, data, error: null });

export const failed = ({ code, field, params }: Problem) => ({
  success: false as const,
  data: null,
  error: {
    message: problemText({ code, field, params }, 'http'),
    code,
    ...(field !== undefined && { field }),
    params,
  },
});
