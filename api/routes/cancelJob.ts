import { statusReplySchema } from '../../packages/contract/replies.ts';
import { cancelJob as cancel } from '../../service/job/endJob.ts';
import { jobInPath, statusOf } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import { type Route, refusal, UNKNOWN_IN_PATH } from '../http/route.ts';

export const cancelJob: Route = {
  method: 'post',
  path: '/jobs/:job_id/cancel',
  access: 'key',
  needs: ['find job', 'find callback', 'cancel job'],
  summary: 'Stop a running job',
  description: 'The job ends as `failed` with the code `cancelled` and frees its slot; you can start it again.',
  reply: {
    contentType: 'application/json',
    data: statusReplySchema,
    description: 'The current state of the job.',
    example: {
      job_id: '0f8c1a…',
      status: 'failed',
      progress: [],
      events: [],
      error: {
        code: 'cancelled',
        message: 'The job was cancelled. Send POST /generate again to run it after all.',
        params: { reason: 'cancelled' },
      },
    },
  },
  refusals: [UNKNOWN_IN_PATH, refusal('job_conflict', 'The job is not running.')],
  async handle(c) {
    const job = await jobInPath(c);
    await cancel(c.get('service'), c.get('keyId'), job.id);
    return c.json(succeeded(await statusOf(c.get('service'), await jobInPath(c))));
  },
};
