import {
  type CompareReply,
  compareReplySchema,
  estimateReplySchema,
  type Started,
} from '../../packages/contract/replies.ts';
import { compareRequestSchema } from '../../packages/contract/requests.ts';
import { estimateCompared, startComparison } from '../../service/job/startComparison.ts';
import type { Settle } from '../../service/ports.ts';
import { goneSignal } from '../http/atWork.ts';
import type { ApiContext } from '../http/context.ts';
import { startOnce } from '../http/idempotent.ts';
import { type JsonObject, parseFields, unknownFields } from '../http/input.ts';
import { jobInBody } from '../http/jobs.ts';
import {
  BAD_BODY,
  BAD_FIELD,
  BODY_TOO_LARGE,
  NO_COLUMN,
  NO_TARGET,
  NOT_STARTED,
  type Route,
  refusal,
  UNKNOWN_IN_BODY,
} from '../http/route.ts';
import { rolesExample } from '../openapi/examples.ts';
import { estimated } from './estimate.ts';

const REQUEST = {
  contentType: 'application/json',
  schema: compareRequestSchema,
  example: {
    job_id: '5d02be…',
    real_job_id: '0f8c1a…',
    holdout_job_id: '9a41c7…',
    ...rolesExample,
    seed: 7,
  },
} as const;

const REFUSALS = [
  BAD_BODY,
  UNKNOWN_IN_BODY,
  BAD_FIELD,
  NO_TARGET,
  NO_COLUMN,
  BODY_TOO_LARGE,
  refusal('job_conflict', 'Two of the jobs are one, one is a sample, or the job is running or done.'),
];

export const compare: Route = {
  method: 'post',
  path: '/compare',
  access: 'key',
  repeatable: true,
  needs: ['find job', 'read profile', 'start comparison'],
  summary: 'Judge a synthetic table that was made anywhere',
  description:
    'Upload the real table, the synthetic one and, if there are any, real rows that whoever made it did not see, each with POST /upload. The job of the synthetic upload becomes the comparison: the same figures, attacks, verdicts and report as for tables made here, at GET /status and /report. GET /download has the columns that were compared. Roles are those of the real table’s columns. Without holdout_job_id the real rows are split in halves: copies are found, and no attack is judged. The other jobs are left unchanged; their uploads must be kept until the comparison is done.',
  request: REQUEST,
  reply: {
    contentType: 'application/json',
    data: compareReplySchema,
    description: 'The comparison has started, or waits for its turn.',
    example: { status: 'started', job_id: '5d02be…', compared_with: '0f8c1a…' },
  },
  refusals: [...REFUSALS, ...NOT_STARTED],
  async handle(c) {
    return startOnce(c, compareReplySchema, (body, settle) => start(c, body, settle));
  },
};

async function start(
  c: ApiContext,
  body: JsonObject,
  settle: (kept: CompareReply) => ReturnType<Settle>,
): Promise<CompareReply> {
  const { id: job_id } = await jobInBody(c, body);
  const request = parseFields(compareRequestSchema, body);
  const warnings = unknownFields(compareRequestSchema, body);
  const replyOf = (status: Started): CompareReply => ({
    status,
    job_id,
    compared_with: request.real_job_id,
    ...warnings,
  });
  const status = await startComparison(c.get('service'), c.get('keyId'), request, {
    signal: goneSignal(c),
    settle: (found) => settle(replyOf(found)),
  });
  return replyOf(status);
}

export const estimateComparison: Route = {
  method: 'post',
  path: '/compare/estimate',
  access: 'key',
  needs: ['find job', 'read profile'],
  summary: 'Estimate a comparison',
  description:
    'Takes and checks the body of POST /compare but starts nothing. Answers as POST /estimate does, from the profiles of the uploads; there is no cheaper plan.',
  request: REQUEST,
  reply: {
    contentType: 'application/json',
    data: estimateReplySchema,
    description: 'The estimate.',
    example: {
      seconds: { expected: 7.1, low: 4.7, high: 11 },
      cpu_seconds: { expected: 7.1, low: 5.4, high: 8.9 },
      memory_mb: 262,
      cost: null,
      stages: [
        { stage: 'start', seconds: 0.8, cpu_seconds: 0.8, why: '3,344 rows and 6 columns' },
        { stage: 'metrics', seconds: 5.3, cpu_seconds: 5.3, why: '3,344 rows compared' },
        { stage: 'write', seconds: 1, cpu_seconds: 1, why: 'the report' },
      ],
      cheaper: null,
    },
  },
  refusals: REFUSALS,
  async handle(c) {
    return estimated(c, compareRequestSchema, (request) =>
      estimateCompared(c.get('service'), c.get('keyId'), request, goneSignal(c)),
    );
  },
};
