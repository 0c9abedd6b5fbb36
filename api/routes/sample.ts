import { ServiceError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job/job.ts';
import { startSample } from '../../domain/job/startSample.ts';
import { type SampleReply, sampleReplySchema } from '../../domain/schema/replies.ts';
import { sampleRequestSchema } from '../../domain/schema/sampleRequest.ts';
import { answerOnce, digestOf } from '../http/answerOnce.ts';
import type { ApiContext } from '../http/context.ts';
import { succeeded } from '../http/envelope.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { whyNoResult } from '../http/noResult.ts';
import { type JsonObject, parseFields, readJson, unknownFields } from '../http/readJson.ts';
import { BAD_BODY, BAD_FIELD, BODY_TOO_LARGE, NO_COLUMN, STORAGE_FULL, WITHHELD } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';

export const sample: Route = {
  method: 'post',
  path: '/sample/:job_id',
  access: 'key',
  repeatable: true,
  summary: 'More rows from the model of a finished job',
  description:
    'Draws rows from the model that a job has saved; nothing is fitted, and the job stays as it is. The rows are a job of their own, under the job_id that is answered: GET /status, /events, /download, /report and /receipt take it, and DELETE /jobs. They are measured against the real rows and pass the release policy of the job as its first table did, so the upload must still be kept. Identifiers are made anew, and may be those of another sample. A sample takes one of the places for running jobs. It goes when its job is erased.',
  request: {
    contentType: 'application/json',
    schema: sampleRequestSchema,
    example: { rows: 5000, seed: 8, conditions: [{ column: 'species', equals: 'Gentoo' }] },
  },
  reply: {
    contentType: 'application/json',
    data: sampleReplySchema,
    description: 'The drawing has begun.',
    example: { status: 'started', job_id: '7b21d4…', sample_of: '0f8c1a…' },
  },
  refusals: [
    BAD_BODY,
    BAD_FIELD,
    NO_COLUMN,
    BODY_TOO_LARGE,
    refusal('invalid_job', 'No job of this id is known to this key, or its upload has been erased.', 404),
    refusal('no_result', 'The job is not finished, has failed, or its model was erased or too large to be kept.'),
    WITHHELD,
    refusal('job_conflict', 'The job is a sample itself, or has as many samples as are kept (1,000).'),
    refusal(
      'capacity_exceeded',
      'As many jobs are running as may (3); Retry-After says in how many seconds to ask again.',
    ),
    STORAGE_FULL,
  ],
  async handle(c) {
    const source = await jobInPath(c);
    const body = await readJson(c);
    return answerOnce(c, {
      digest: () => digestOf(c, body),
      work: () => start(c, source, body),
      kept: sampleReplySchema,
      answer: (reply) => c.json(succeeded(reply)),
    });
  },
};

async function start(c: ApiContext, source: Job, body: JsonObject): Promise<SampleReply> {
  const request = parseFields(sampleRequestSchema, body);
  if (source.state !== 'done') throw new ServiceError('no_result', whyNoResult(source));
  const { jobId } = await startSample(c.get('service'), source, request);
  return { status: 'started', job_id: jobId, sample_of: source.id, ...unknownFields(sampleRequestSchema, body) };
}
