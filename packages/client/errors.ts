/**
 * `code` and `reason` are for programs, `message` for developers. `problemText` of `packages/words` words errors for
 * others.
 */
import type { ErrorCode, JobErrorCode } from './contract.ts';

/** Exact case and details. Later versions may add reasons. */
export interface ProblemParams {
  reason: string;
  [name: string]: unknown;
}

/** Base of the client's errors. */
export abstract class SyntheticTablesError extends Error {
  abstract readonly code: string;
  readonly params: ProblemParams;
  /** Request field concerned, such as `conditions[0]`. */
  readonly field: string | undefined;

  constructor(message: string, params: ProblemParams, options: { field?: string | undefined; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.params = params;
    this.field = options.field;
  }

  /** Exact case within the code, such as `column_empty`. */
  get reason(): string {
    return this.params.reason;
  }
}

/** A problem as received. */
export interface WireProblem<Code extends string> {
  code: Code;
  message: string;
  field?: string | undefined;
  params: ProblemParams;
}

/** The service refused the request. */
export class RefusedError extends SyntheticTablesError {
  override readonly name = 'RefusedError';
  readonly code: ErrorCode;
  /** HTTP status. */
  readonly status: number;
  /** Identifies the request in the service's log. */
  readonly requestId: string | null;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | null;

  constructor(
    { code, message, field, params }: WireProblem<ErrorCode>,
    answer: { status: number; requestId: string | null; retryAfter: number | null },
  ) {
    super(message, params, { field });
    this.code = code;
    this.status = answer.status;
    this.requestId = answer.requestId;
    this.retryAfter = answer.retryAfter;
  }
}

/** The job ended without a table. */
export class JobFailedError extends SyntheticTablesError {
  override readonly name = 'JobFailedError';
  readonly code: JobErrorCode;
  readonly jobId: string;
  /** For a sample, the job of its model. */
  readonly sampleOf: string | undefined;

  constructor(
    job: { job_id: string; sample_of?: string | undefined },
    { code, message, field, params }: WireProblem<JobErrorCode>,
  ) {
    super(message, params, { field });
    this.code = code;
    this.jobId = job.job_id;
    this.sampleOf = job.sample_of;
  }
}

/** `wait` was called for a job that was never started. */
export class NotStartedError extends SyntheticTablesError {
  override readonly name = 'NotStartedError';
  readonly code = 'not_started';

  constructor(jobId: string) {
    super(`Job ${jobId} has not been started. Call generate with this job_id first.`, {
      reason: 'job_not_started',
      job_id: jobId,
    });
  }
}

/** No reply, or an interrupted one. After `answer_lost`, the request may have been executed. */
export class ConnectionError extends SyntheticTablesError {
  override readonly name = 'ConnectionError';
  readonly code = 'connection_failed';
}

/** The reply came from something else, such as a proxy. */
export class UnexpectedReplyError extends SyntheticTablesError {
  override readonly name = 'UnexpectedReplyError';
  readonly code = 'unexpected_reply';
  readonly status: number;

  constructor(message: string, params: ProblemParams, status: number) {
    super(message, params);
    this.status = status;
  }
}
