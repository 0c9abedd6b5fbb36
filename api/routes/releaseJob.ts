import { releaseJob as release } from '../../domain/job/release.ts';
import { statusReplySchema } from '../../domain/schema/replies.ts';
import { succeeded } from '../http/envelope.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { UNKNOWN_IN_PATH } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';
import { statusOf } from '../http/statusOf.ts';
import { statusExample } from '../openapi/statusExample.ts';

export const releaseJob: Route = {
  method: 'post',
  path: '/jobs/:job_id/release',
  access: 'key',
  summary: 'Give out rows that are withheld',
  description:
    'Where the release policy withholds the rows of a finished job, its owner can give them out all the same. A job whose rows are not withheld stays as it is.',
  reply: {
    contentType: 'application/json',
    data: statusReplySchema,
    description: 'The job as it is now.',
    example: { ...statusExample, release: 'released' },
  },
  refusals: [UNKNOWN_IN_PATH, refusal('job_conflict', 'The job is not done: it has no rows.')],
  async handle(c) {
    const job = await jobInPath(c);
    await release(c.get('service'), c.get('keyId'), job.id);
    return c.json(succeeded(await statusOf(c.get('service'), await jobInPath(c))));
  },
};
