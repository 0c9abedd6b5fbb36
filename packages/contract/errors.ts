import { type Case, failureCode, type Problem, refusalCode } from './problems.ts';
import type { ErrorCode, FailureReason, JobErrorCode, RefusalReason } from './reasons.ts';

interface ErrorOptions {
  field?: string | undefined;
  cause?: unknown;
  /** Text for people; defaults to the reason. */
  message?: string;
}

/** Refuses a request. */
export class ServiceError extends Error implements Problem {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly params: Case<RefusalReason>;

  constructor(params: Case<RefusalReason>, options: ErrorOptions = {}) {
    super(options.message ?? params.reason, { cause: options.cause });
    this.code = refusalCode(params.reason);
    this.params = params;
    this.field = options.field;
  }
}

/** Fails a running job; becomes the job's `error`. */
export class JobError extends Error implements Problem {
  override readonly name = 'JobError';
  readonly code: JobErrorCode;
  readonly field: string | undefined;
  readonly params: Case<FailureReason>;

  constructor(params: Case<FailureReason>, options: ErrorOptions = {}) {
    super(options.message ?? params.reason, { cause: options.cause });
    this.code = failureCode(params.reason);
    this.params = params;
    this.field = options.field;
  }
}

/**
 * Reads stored data.
 * @throws ServiceError `storage_unavailable` if they are malformed.
 */
export function fromStore<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError({ reason: 'stored_data_damaged' }, { cause });
  }
}
