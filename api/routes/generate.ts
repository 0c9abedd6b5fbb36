import type { PrivacySpent } from '../../packages/contract/privacy.ts';
import { type GenerateReply, generateReplySchema, type Started } from '../../packages/contract/replies.ts';
import { startRequestSchema } from '../../packages/contract/requests.ts';
import { keyNote, sharedRowsNote } from '../../packages/words/wording.ts';
import { startJob } from '../../service/job/startJob.ts';
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
  FEW_ROWS,
  NO_COLUMN,
  NO_TARGET,
  NOT_STARTED,
  type Route,
  refusal,
  UNKNOWN_IN_BODY,
} from '../http/route.ts';
import { rolesExample } from '../openapi/examples.ts';

export const generate: Route = {
  method: 'post',
  path: '/generate',
  access: 'key',
  repeatable: true,
  needs: ['find job', 'read profile', 'start job'],
  summary: 'Generate a synthetic table',
  description:
    'Each column has at most one role; a column in no list is left out of the result. The answer comes at once: poll GET /status/{job_id}. Null in an optional field is the same as leaving it out. A failed job can be started again. With `queue: true` the job waits if no slot is free; keys take turns, and GET /status shows its place.',
  request: {
    contentType: 'application/json',
    schema: startRequestSchema,
    example: {
      job_id: '0f8c1a…',
      ...rolesExample,
      text_cols: [],
      n_samples: 1000,
      seed: 7,
    },
  },
  reply: {
    contentType: 'application/json',
    data: generateReplySchema,
    description: 'The job has started, or waits for its turn.',
    example: { status: 'started', job_id: '0f8c1a…' },
  },
  refusals: [
    BAD_BODY,
    UNKNOWN_IN_BODY,
    BAD_FIELD,
    NO_TARGET,
    NO_COLUMN,
    FEW_ROWS,
    BODY_TOO_LARGE,
    refusal('job_conflict', 'The job is running or done; upload the file again for a new job.'),
    ...NOT_STARTED,
  ],
  async handle(c) {
    return startOnce(c, generateReplySchema, (body, settle) => start(c, body, settle));
  },
};

async function start(
  c: ApiContext,
  body: JsonObject,
  settle: (kept: GenerateReply) => ReturnType<Settle>,
): Promise<GenerateReply> {
  const job = await jobInBody(c, body);
  const { callback_url, queue, ...request } = parseFields(startRequestSchema, body);
  const unknown = unknownFields(startRequestSchema, body).warnings ?? [];
  const replyOf = (status: Started, keys: readonly string[], privacy?: PrivacySpent): GenerateReply => {
    const shared = privacy?.shared_rows ? [sharedRowsNote(privacy.shared_rows)] : [];
    const warnings = [...unknown, ...keys.map(keyNote), ...shared];
    return { status, job_id: job.id, ...(warnings.length > 0 && { warnings }), ...(privacy && { privacy }) };
  };
  const { status, keys, privacy } = await startJob(c.get('service'), c.get('keyId'), request, callback_url, {
    signal: goneSignal(c),
    queue,
    settle: (found, own, spent) => settle(replyOf(found, own, spent)),
  });
  return replyOf(status, keys, privacy);
}
