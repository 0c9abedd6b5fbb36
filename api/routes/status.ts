import { statusReplySchema } from '../../packages/contract/replies.ts';
import { shareableStatus } from '../../packages/words/shareable.ts';
import { placeOf } from '../../service/job/startWaiting.ts';
import { audienceOf, audienceQuery } from '../http/audience.ts';
import { jobInPath, statusOf } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import { type Route, refusal, UNKNOWN_IN_PATH } from '../http/route.ts';
import { statusExample } from '../openapi/examples.ts';

export const status: Route = {
  method: 'get',
  path: '/status/:job_id',
  access: 'key',
  needs: ['find job', 'find callback', 'see queue'],
  summary: 'State and progress of a job',
  description:
    'States: uploaded, queued, started, running, done, failed. A job that is queued has its place in `queue`; one that is done has `metrics`. Of a job with `privacy`, all metrics but `rows_generated`, `columns`, `seed`, `version` and `formal_privacy` are for the owner of the file alone, as are `events`, `input_salt` and the reason of a failure: `for=sharing` leaves them out.',
  query: audienceQuery,
  reply: {
    contentType: 'application/json',
    data: statusReplySchema,
    description: 'The state of the job.',
    example: statusExample,
  },
  refusals: [UNKNOWN_IN_PATH, refusal('invalid_parameter', '`for` is neither owner nor sharing.')],
  async handle(c) {
    const audience = audienceOf(c);
    const [service, job] = [c.get('service'), await jobInPath(c)];
    const status = await statusOf(service, job, await placeOf(service, job));
    return c.json(succeeded(audience === 'sharing' ? shareableStatus(status) : status));
  },
};
