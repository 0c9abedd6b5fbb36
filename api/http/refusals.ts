/** Refusals that several routes share, for the description of the interface. */
import { refusal } from './route.ts';

export const UNKNOWN_IN_PATH = refusal('invalid_job', 'No job of this id is known to this key.', 404);
export const UNKNOWN_IN_BODY = refusal('invalid_job', 'job_id is missing, not a string, or not known to this key.');
export const WITHHELD = refusal(
  'withheld',
  'The release policy withholds the rows of this job; POST /jobs/{job_id}/release gives them out.',
);
export const NO_RESULT = refusal('no_result', 'The job is not finished, has failed, or its result was erased.');
export const BAD_BODY = refusal('invalid_request', 'The body is not a JSON object in UTF-8.');
export const BODY_TOO_LARGE = refusal('request_too_large', 'The body is larger than 1 MB.');
export const BAD_FIELD = refusal(
  'invalid_parameter',
  'A field has a wrong type or is out of its bounds; the message names both.',
);
export const NO_COLUMN = refusal(
  'column_not_found',
  'A named column is not in the file; the message lists those that are.',
);

/** What a request that names itself by an Idempotency-Key may be answered with. */
export const REPEATABLE = [
  refusal('invalid_request', 'Idempotency-Key is not 1 to 200 visible characters of ASCII.'),
  refusal('request_in_progress', 'The first request with this Idempotency-Key is still at work.'),
  refusal('idempotency_key_reused', 'This Idempotency-Key was used for another request within the last 24 hours.'),
] as const;

/** What every route with a key may answer. */
export const WITH_KEY = [refusal('unauthorized', 'X-API-Key is missing or not valid.')] as const;

/** What every route may answer. */
export const EVERYWHERE = [
  refusal('request_timeout', 'The request did not arrive in time.'),
  refusal('headers_too_large', 'The headers are larger than 64 KB together, or more than 1,000.'),
  refusal('storage_unavailable', 'The storage cannot be reached or written.'),
  refusal('internal_error', 'A fault in the service; the message has the request id for the operator.'),
] as const;

export const STORAGE_FULL = refusal('storage_full', 'The storage has no room left.');
