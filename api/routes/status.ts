import { statusReplySchema } from '../../domain/schema/replies.ts';
import { succeeded } from '../http/envelope.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { UNKNOWN_IN_PATH } from '../http/refusals.ts';
import type { Route } from '../http/route.ts';
import { statusOf } from '../http/statusOf.ts';
import { statusExample } from '../openapi/statusExample.ts';

export const status: Route = {
  method: 'get',
  path: '/status/:job_id',
  access: 'key',
  summary: 'How far is the job?',
  description: 'States: uploaded, started, running, done, failed. `metrics` is there when the job is done.',
  reply: {
    contentType: 'application/json',
    data: statusReplySchema,
    description: 'The state of the job.',
    example: statusExample,
  },
  refusals: [UNKNOWN_IN_PATH],
  async handle(c) {
    return c.json(succeeded(await statusOf(c.get('service'), await jobInPath(c))));
  },
};
