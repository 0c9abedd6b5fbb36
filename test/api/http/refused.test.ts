import { describe, expect, it } from 'vitest';
import { HTTP_STATUS, headersOf, statusOf } from '../../../api/http/refused.ts';
import { ServiceError } from '../../../packages/contract/errors.ts';
import { REFUSALS } from '../../../packages/contract/reasons.ts';
import { failureReply } from '../../../packages/words/problems.ts';
import { INTERRUPTED } from '../../../service/job/failures.ts';

describe('what HTTP adds to a refusal', () => {
  const unknown = new ServiceError({ reason: 'job_unknown', job_id: 'a' });

  it('has a status for every code, an error of the client or of the service', () => {
    expect(Object.keys(HTTP_STATUS).sort()).toEqual(Object.keys(REFUSALS).sort());
    expect(Object.values(HTTP_STATUS).every((status) => status >= 400 && status < 600)).toBe(true);
  });

  it('is 404 for an unknown job in the path, 400 for one in the body', () => {
    expect(statusOf(unknown, '/status/:job_id')).toBe(404);
    expect(statusOf(unknown, '/generate')).toBe(400);
    expect(statusOf(new ServiceError({ reason: 'throttled', seconds: 5 }), '/status/:job_id')).toBe(503);
  });

  it('is Retry-After where a client may try again, and Allow where the method is wrong', () => {
    expect(headersOf(new ServiceError({ reason: 'slots_taken', max: 3, seconds: 5 }))).toEqual({ 'Retry-After': '5' });
    expect(headersOf(new ServiceError({ reason: 'reading_out_of_time', seconds: 5 }))).toEqual({});
    expect(headersOf(new ServiceError({ reason: 'connect_not_possible', allowed: ['GET', 'POST'] }))).toEqual({
      Allow: 'GET, POST',
    });
    expect(headersOf(unknown)).toEqual({});
  });

  it('names in a failure the call that starts the job', () => {
    expect(failureReply(INTERRUPTED, { jobId: 'a' }).message).toContain('Send POST /generate again.');
    expect(failureReply(INTERRUPTED, { jobId: 'b', sampleOf: 'a' }).message).toContain('Send POST /sample/a again.');
  });
});
