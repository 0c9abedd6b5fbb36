import { statusReplySchema } from '../../packages/contract/replies.ts';
import { placeOf } from '../../service/job/startWaiting.ts';
import { jobInPath, statusOf } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import { type Route, UNKNOWN_IN_PATH } from '../http/route.ts';
import { statusExample } from '../openapi/examples.ts';

export const status: Route = {
  method: 'get',
  path: '/status/:job_id',
  access: 'key',
  needs: ['find job', 'find callback', 'see queue'],
  summary: 'State and progress of a job',
  description:
    'States: uploaded, queued, started, running, done, failed. A job that is queued has its place in `queue`; one that is done has `metrics`.',
  reply: {
    contentType: 'application/json',
    data: statusReplySchema,
    description: 'The state of the job.',
    example: statusExample,
  },
  refusals: [UNKNOWN_IN_PATH],
  async handle(c) {
    const [service, job] = [c.get('service'), await jobInPath(c)];
    return c.json(succeeded(await statusOf(service, job, await placeOf(service, job))));
  },
};
