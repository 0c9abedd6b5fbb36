/** Every failure that a client can be told of: one class, a literal code, a message that says what to do next. */

/** HTTP status by error code, for codes that answer a request. */
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
  column_not_found: 400,
  job_conflict: 409,
  request_in_progress: 409,
  idempotency_key_reused: 422,
  capacity_exceeded: 429,
  not_found: 404,
  no_result: 404,
  withheld: 403,
  origin_refused: 403,
  method_not_allowed: 405,
  storage_full: 507,
  storage_unavailable: 503,
  compute_unavailable: 503,
  service_busy: 503,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof HTTP_STATUS;

/** A failure that answers a request. `status` differs from the code's own only for an unknown job in a path (404). */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? HTTP_STATUS[code];
    this.headers = options.headers ?? {};
  }
}

/** Why a job ended without a table. Stands in `error.code` of GET /status. */
export const JOB_ERROR_CODES = [
  'interrupted',
  'cancelled',
  'timeout',
  'out_of_memory',
  'crashed',
  'no_compute',
  'invalid_data',
  'storage_full',
  'storage_unavailable',
  'internal_error',
] as const;

export type JobErrorCode = (typeof JOB_ERROR_CODES)[number];

/** A failure inside a running job; its code and message become the job's `error`. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly code: JobErrorCode;

  constructor(code: JobErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
  }
}
