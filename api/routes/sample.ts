import { type SampleReply, type Started, sampleReplySchema } from '../../packages/contract/replies.ts';
import { sampleRequestSchema } from '../../packages/contract/requests.ts';
import type { Job } from '../../service/job/job.ts';
import { startSample } from '../../service/job/startJob.ts';
import type { Settle } from '../../service/ports.ts';
import { goneSignal } from '../http/atWork.ts';
import type { ApiContext } from '../http/context.ts';
import { startOnce } from '../http/idempotent.ts';
import { type JsonObject, parseFields, unknownFields } from '../http/input.ts';
import { jobInPath, noResult } from '../http/jobs.ts';
import {
  BAD_BODY,
  BAD_FIELD,
  BODY_TOO_LARGE,
  NO_COLUMN,
  NOT_STARTED,
  type Route,
  refusal,
  WITHHELD,
} from '../http/route.ts';

export const sample: Route = {
  method: 'post',
  path: '/sample/:job_id',
  access: 'key',
  repeatable: true,
  needs: ['find job', 'read profile', 'start sample'],
  summary: 'More rows from the model of a finished job',
  description:
    'Draws rows from the model that a job has saved; no model is fitted, and the job itself is left unchanged. The rows are a job of their own: use the new job_id with GET /status, /events, /download, /report and /receipt, and with DELETE /jobs. They are measured against the real rows and must meet the release policy of the job, so the upload must still be kept. New identifiers are generated; they may repeat those of another sample. A sample takes one of the slots for running jobs; with `queue: true` it waits for one. It goes when its job is erased.',
  request: {
    contentType: 'application/json',
    schema: sampleRequestSchema,
    example: { rows: 5000, seed: 8, conditions: [{ column: 'species', equals: 'Gentoo' }] },
  },
  reply: {
    contentType: 'application/json',
    data: sampleReplySchema,
    description: 'The sample has started, or waits for its turn.',
    example: { status: 'started', job_id: '7b21d4…', sample_of: '0f8c1a…' },
  },
  refusals: [
    BAD_BODY,
    BAD_FIELD,
    NO_COLUMN,
    BODY_TOO_LARGE,
    refusal('invalid_job', 'This key has no job with this id, or its upload has been erased.', 404),
    refusal('no_result', 'The job is not finished, has failed, or its model was erased or too large to keep.'),
    WITHHELD,
    refusal('job_conflict', 'The job is itself a sample, or already has 1,000 samples, the limit.'),
    ...NOT_STARTED,
  ],
  async handle(c) {
    const source = await jobInPath(c);
    return startOnce(c, sampleReplySchema, (body, settle) => start(c, source, body, settle));
  },
};

async function start(
  c: ApiContext,
  source: Job,
  body: JsonObject,
  settle: (kept: SampleReply) => ReturnType<Settle>,
): Promise<SampleReply> {
  const request = parseFields(sampleRequestSchema, body);
  if (source.state !== 'done') throw noResult(source);
  const warnings = unknownFields(sampleRequestSchema, body);
  const replyOf = (status: Started, job_id: string) => ({ status, job_id, sample_of: source.id, ...warnings });
  const { status, jobId } = await startSample(c.get('service'), source, request, {
    signal: goneSignal(c),
    settle: (found, id) => settle(replyOf(found, id)),
  });
  return replyOf(status, jobId);
}
