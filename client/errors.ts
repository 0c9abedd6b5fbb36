/** What a call may throw, beside the reason of an abort signal. Each class has a `code` that a program can branch on. */
import type { ErrorCode, JobErrorCode } from './contract.ts';

/** Of all of them. */
export abstract class SyntheticTablesError extends Error {
  abstract readonly code: string;
}

/** The service refused the request; its message says what was found and what to do. */
export class RefusedError extends SyntheticTablesError {
  override readonly name = 'RefusedError';
  readonly code: ErrorCode;
  /** HTTP status. */
  readonly status: number;
  /** For the operator: names the request in the service's log. */
  readonly requestId: string | null;
  /** Seconds after which the service asks to try again. */
  readonly retryAfter: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    answer: { status: number; requestId: string | null; retryAfter: number | null },
  ) {
    super(message);
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

  constructor(jobId: string, code: JobErrorCode, message: string) {
    super(message);
    this.code = code;
    this.jobId = jobId;
  }
}

/** `wait` was asked to wait for a job that POST /generate has not started: it would never end. */
export class NotStartedError extends SyntheticTablesError {
  override readonly name = 'NotStartedError';
  readonly code = 'not_started';
}

/** No answer came, or it broke off. A POST may have been carried out all the same. */
export class ConnectionError extends SyntheticTablesError {
  override readonly name = 'ConnectionError';
  readonly code = 'connection_failed';
}

/** What answered is not this service: a proxy's page, or another program. */
export class UnexpectedReplyError extends SyntheticTablesError {
  override readonly name = 'UnexpectedReplyError';
  readonly code = 'unexpected_reply';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
