import { estimateRequest } from '../../domain/job/estimateRequest.ts';
import { startRequestSchema } from '../../domain/schema/generateRequest.ts';
import { type EstimateReply, estimateReplySchema } from '../../domain/schema/replies.ts';
import { succeeded } from '../http/envelope.ts';
import { jobInBody } from '../http/jobInBody.ts';
import { parseFields, readJson, unknownFields } from '../http/readJson.ts';
import { BAD_BODY, BAD_FIELD, BODY_TOO_LARGE, NO_COLUMN, UNKNOWN_IN_BODY } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';

export const estimate: Route = {
  method: 'post',
  path: '/estimate',
  access: 'key',
  summary: 'What would this job take?',
  description:
    'Takes the body of POST /generate, checks it alike and starts nothing: seconds on two processor cores, memory, cost where the machines are rented, what the time goes to, and a plan that takes less where there is one. From the profile of the upload, so that the answer takes less than a second; on the tables that it was measured by it is within a factor of 2. Other jobs that run beside it are not counted in.',
  request: {
    contentType: 'application/json',
    schema: startRequestSchema,
    example: {
      job_id: '0f8c1a…',
      target_col: 'mass',
      continuous_cols: ['bill_length'],
      categorical_cols: ['species', 'island'],
      n_samples: 20_000,
    },
  },
  reply: {
    contentType: 'application/json',
    data: estimateReplySchema,
    description: 'What it would take, about.',
    example: {
      seconds: { expected: 7.1, low: 3.6, high: 14 },
      memory_mb: 256,
      cost: null,
      stages: [
        { stage: 'start', seconds: 0.6, why: '344 rows and 4 columns' },
        {
          stage: 'target',
          seconds: 4.9,
          why: 'bernoulli regression of about 61 columns on 802 rows, 4 chains of 2,000 steps',
        },
        { stage: 'metrics', seconds: 1.6, why: '1,802 rows compared' },
      ],
      cheaper: {
        seconds: { expected: 4.4, low: 2.2, high: 8.8 },
        cost: null,
        fields: { draws: 400, tune: 500 },
        gives_up: ["400 draws a chain in place of 1,000: intervals of the target's coefficients are less sharp"],
      },
    },
  },
  refusals: [
    BAD_BODY,
    UNKNOWN_IN_BODY,
    BAD_FIELD,
    refusal('missing_target', 'Neither target_col nor text_cols is given.'),
    NO_COLUMN,
    BODY_TOO_LARGE,
  ],
  async handle(c) {
    const body = await readJson(c);
    await jobInBody(c, body);
    const { callback_url, ...request } = parseFields(startRequestSchema, body);
    const found = await estimateRequest(c.get('service'), c.get('keyId'), request, callback_url);
    const reply: EstimateReply = { ...found, ...unknownFields(startRequestSchema, body) };
    return c.json(succeeded(reply));
  },
};
