import { statusReplySchema } from '../../packages/contract/replies.ts';
import { releaseJob as release } from '../../service/job/release.ts';
import { statusOf } from '../http/jobs.ts';
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
    'Where the release policy withholds the rows of a finished job, a key with the right to release can release them anyway: those of its own jobs, and those of any job whose id it is given. A job whose rows are not withheld is left unchanged.',
  reply: {
    contentType: 'application/json',
    data: statusReplySchema,
    description: 'The current state of the job.',
    example: { ...statusExample, release: 'released' },
  },
  refusals: [
    UNKNOWN_IN_PATH,
    refusal('job_conflict', 'The job is not done: it has no rows.'),
    refusal('release_not_allowed', 'The key may not release rows.'),
  ],
  async handle(c) {
    const [service, key] = [c.get('service'), { id: c.get('keyId'), rights: c.get('rights') }];
    const job = await release(service, key, c.req.param('job_id') ?? '');
    c.set('jobId', job.id);
    const { input_salt, ...shown } = await statusOf(service, job);
    const isOwner = job.keyId === key.id;
    return c.json(succeeded({ ...shown, ...(isOwner && input_salt !== undefined && { input_salt }) }));
  },
};
