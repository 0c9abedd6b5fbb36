/** What is thrown where a request is refused or a job fails: data, which each way in puts into words. */
import { type Case, failureCode, type Problem, refusalCode } from './problems.ts';
import type { ErrorCode, FailureReason, JobErrorCode, RefusalReason } from './reasons.ts';

interface ErrorOptions {
  field?: string | undefined;
  cause?: unknown;
  /** For whoever reads it; the reason where left out. */
  message?: string;
}

/** A request is refused. */
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

/** A failure inside a running job; its code, field and params become the job's `error`. */
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

/** What `read` makes of stored data; ServiceError (storage_unavailable) where they are not as the service wrote them. */
export function fromStore<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError({ reason: 'stored_data_damaged' }, { cause });
  }
}
