import { cancelJob as cancel } from '../../domain/job/cancelJob.ts';
import { statusReplySchema } from '../../domain/schema/replies.ts';
import { succeeded } from '../http/envelope.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { UNKNOWN_IN_PATH } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';
import { statusOf } from '../http/statusOf.ts';

export const cancelJob: Route = {
  method: 'post',
  path: '/jobs/:job_id/cancel',
  access: 'key',
  summary: 'Stop a running job',
  description: 'The job ends as `failed` with the code `cancelled` and frees its place; it may be started again.',
  reply: {
    contentType: 'application/json',
    data: statusReplySchema,
    description: 'The job as it is now.',
    example: {
      job_id: '0f8c1a…',
      status: 'failed',
      progress: [],
      error: { code: 'cancelled', message: 'The job was cancelled on request.' },
    },
  },
  refusals: [UNKNOWN_IN_PATH, refusal('job_conflict', 'The job is not running.')],
  async handle(c) {
    const job = await jobInPath(c);
    await cancel(c.get('service'), c.get('keyId'), job.id);
    return c.json(succeeded(await statusOf(c.get('service'), await jobInPath(c))));
  },
};
