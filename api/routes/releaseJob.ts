import { statusReplySchema } from '../../packages/contract/replies.ts';
import { releaseJob as release } from '../../service/job/release.ts';
import { jobInPath, statusOf } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import { type Route, refusal, UNKNOWN_IN_PATH } from '../http/route.ts';
import { statusExample } from '../openapi/examples.ts';

export const releaseJob: Route = {
  method: 'post',
  path: '/jobs/:job_id/release',
  access: 'key',
  needs: ['find job', 'find callback', 'release rows'],
  summary: 'Release rows that are withheld',
  description:
    'Where the release policy withholds the rows of a finished job, the owner of the job can release them anyway. A job whose rows are not withheld is left unchanged.',
  reply: {
    contentType: 'application/json',
    data: statusReplySchema,
    description: 'The current state of the job.',
    example: { ...statusExample, release: 'released' },
  },
  refusals: [UNKNOWN_IN_PATH, refusal('job_conflict', 'The job is not done: it has no rows.')],
  async handle(c) {
    const job = await jobInPath(c);
    await release(c.get('service'), c.get('keyId'), job.id);
    return c.json(succeeded(await statusOf(c.get('service'), await jobInPath(c))));
  },
};
