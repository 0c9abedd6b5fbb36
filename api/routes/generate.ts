import { startJob } from '../../domain/job/startJob.ts';
import { startRequestSchema } from '../../domain/schema/generateRequest.ts';
import { type GenerateReply, generateReplySchema } from '../../domain/schema/replies.ts';
import { answerOnce, digestOf } from '../http/answerOnce.ts';
import type { ApiContext } from '../http/context.ts';
import { succeeded } from '../http/envelope.ts';
import { jobInBody } from '../http/jobInBody.ts';
import { type JsonObject, parseFields, readJson, unknownFields } from '../http/readJson.ts';
import { BAD_BODY, BAD_FIELD, BODY_TOO_LARGE, NO_COLUMN, STORAGE_FULL, UNKNOWN_IN_BODY } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';

export const generate: Route = {
  method: 'post',
  path: '/generate',
  access: 'key',
  repeatable: true,
  summary: 'Start the making of a synthetic table',
  description:
    'Gives each column at most one role; a column in no list is left out of the result. Answers at once: poll GET /status/{job_id}. Null in an optional field is the same as leaving it out. A failed job may be started again.',
  request: {
    contentType: 'application/json',
    schema: startRequestSchema,
    example: {
      job_id: '0f8c1a…',
      target_col: 'mass',
      continuous_cols: ['bill_length'],
      categorical_cols: ['species', 'island'],
      text_cols: [],
      n_samples: 1000,
      seed: 7,
    },
  },
  reply: {
    contentType: 'application/json',
    data: generateReplySchema,
    description: 'The job was accepted.',
    example: { status: 'started', job_id: '0f8c1a…' },
  },
  refusals: [
    BAD_BODY,
    UNKNOWN_IN_BODY,
    BAD_FIELD,
    refusal('missing_target', 'Neither target_col nor text_cols is given.'),
    NO_COLUMN,
    BODY_TOO_LARGE,
    refusal('job_conflict', 'The job is running or done; upload again for a new one.'),
    refusal(
      'capacity_exceeded',
      'As many jobs are running as may (3); Retry-After says in how many seconds to ask again.',
    ),
    STORAGE_FULL,
  ],
  async handle(c) {
    const body = await readJson(c);
    return answerOnce(c, {
      digest: () => digestOf(c, body),
      work: () => start(c, body),
      kept: generateReplySchema,
      answer: (reply) => c.json(succeeded(reply)),
    });
  },
};

async function start(c: ApiContext, body: JsonObject): Promise<GenerateReply> {
  const job = await jobInBody(c, body);
  const { callback_url, ...request } = parseFields(startRequestSchema, body);
  await startJob(c.get('service'), c.get('keyId'), request, callback_url);
  return { status: 'started', job_id: job.id, ...unknownFields(startRequestSchema, body) };
}
