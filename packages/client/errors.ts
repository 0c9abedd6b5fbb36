/**
 * What a call may throw, beside the reason of an abort signal. Each has a `code` that a program can branch on, the
 * `reason` that names the exact case, and what was found in `params`; `message` says it in words, for whoever writes
 * programs. `problemText` of `packages/words` says it in other words.
 */
import type { ErrorCode, JobErrorCode } from './contract.ts';

/** The exact case, and what was found: plain values by name. A later version of the service may have further reasons. */
export interface ProblemParams {
  reason: string;
  [name: string]: unknown;
}

/** What all errors of the client have in common: `code` to branch on, `params` with what was found, `message` in words. */
export abstract class SyntheticTablesError extends Error {
  abstract readonly code: string;
  readonly params: ProblemParams;
  /** The field of the request that it is about, as `target_col` or `conditions[0]`; undefined where it is about none. */
  readonly field: string | undefined;

  constructor(message: string, params: ProblemParams, options: { field?: string | undefined; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.params = params;
    this.field = options.field;
  }

  /** Names the exact case under the code, as `column_empty` under `invalid_parameter`. */
  get reason(): string {
    return this.params.reason;
  }
}

/** A problem as an answer has it. */
export interface WireProblem<Code extends string> {
  code: Code;
  message: string;
  field?: string | undefined;
  params: ProblemParams;
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
  /** The job whose model was to make the rows, of a sample. */
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

/** `wait` was asked to wait for a job that nobody has started: it would never end. */
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

/** No answer came, or it broke off. `answer_lost`: what was asked for may have been carried out all the same. */
export class ConnectionError extends SyntheticTablesError {
  override readonly name = 'ConnectionError';
  readonly code = 'connection_failed';
}

/** What answered is not this service: a proxy's page, or another program. */
export class UnexpectedReplyError extends SyntheticTablesError {
  override readonly name = 'UnexpectedReplyError';
  readonly code = 'unexpected_reply';
  readonly status: number;

  constructor(message: string, params: ProblemParams, status: number) {
    super(message, params);
    this.status = status;
  }
}
