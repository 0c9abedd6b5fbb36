import type { z } from 'zod';
import { type EstimateReply, estimateReplySchema } from '../../packages/contract/replies.ts';
import { startRequestSchema } from '../../packages/contract/requests.ts';
import { estimateRequest } from '../../service/job/uploadFile.ts';
import { goneSignal } from '../http/atWork.ts';
import type { ApiContext } from '../http/context.ts';
import { parseFields, readJson, unknownFields } from '../http/input.ts';
import { jobInBody } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import {
  BAD_BODY,
  BAD_FIELD,
  BODY_TOO_LARGE,
  FEW_ROWS,
  NO_COLUMN,
  NO_TARGET,
  type Route,
  UNKNOWN_IN_BODY,
} from '../http/route.ts';
import { rolesExample } from '../openapi/examples.ts';

export const estimate: Route = {
  method: 'post',
  path: '/estimate',
  access: 'key',
  needs: ['find job', 'read profile'],
  summary: 'Estimate time, memory and cost',
  description:
    'Takes and checks the body of POST /generate but starts nothing. Answers with seconds on this machine (where machines are rented, on one of two cores), CPU seconds over all cores, memory, cost where the machines are rented, both times by stage, and a cheaper plan where there is one. The estimate uses the profile of the upload, so it takes less than a second; on all fifteen tables that it was compared with, its CPU seconds were within a quarter. Other jobs running at the same time are not taken into account.',
  request: {
    contentType: 'application/json',
    schema: startRequestSchema,
    example: {
      job_id: '0f8c1a…',
      ...rolesExample,
      n_samples: 20_000,
    },
  },
  reply: {
    contentType: 'application/json',
    data: estimateReplySchema,
    description: 'The estimate.',
    example: {
      seconds: { expected: 5.2, low: 3.4, high: 7.8 },
      cpu_seconds: { expected: 8.9, low: 6.7, high: 12 },
      memory_mb: 256,
      cost: null,
      stages: [
        { stage: 'start', seconds: 0.6, cpu_seconds: 0.6, why: '344 rows and 4 columns' },
        {
          stage: 'target',
          seconds: 2.9,
          cpu_seconds: 5.6,
          why: 'bernoulli regression of about 61 columns on 802 rows, 4 chains of 2,000 steps',
        },
        { stage: 'metrics', seconds: 1.7, cpu_seconds: 2.7, why: '1,802 rows compared' },
      ],
      cheaper: {
        seconds: { expected: 3.9, low: 2.6, high: 5.9 },
        cpu_seconds: { expected: 6.2, low: 4.7, high: 7.8 },
        cost: null,
        fields: { draws: 400, tune: 500 },
        tradeoffs: ["400 draws per chain instead of 1,000: wider intervals for the target's coefficients"],
      },
    },
  },
  refusals: [BAD_BODY, UNKNOWN_IN_BODY, BAD_FIELD, NO_TARGET, NO_COLUMN, FEW_ROWS, BODY_TOO_LARGE],
  async handle(c) {
    return estimated(c, startRequestSchema, ({ callback_url, ...request }) =>
      estimateRequest(c.get('service'), c.get('keyId'), request, callback_url, goneSignal(c)),
    );
  },
};

export async function estimated<Schema extends z.ZodObject>(
  c: ApiContext,
  schema: Schema,
  estimateOf: (request: z.output<Schema>) => Promise<EstimateReply>,
) {
  const body = await readJson(c);
  await jobInBody(c, body);
  const found = await estimateOf(parseFields(schema, body));
  const reply: EstimateReply = { ...found, ...unknownFields(schema, body) };
  return c.json(succeeded(reply));
}
