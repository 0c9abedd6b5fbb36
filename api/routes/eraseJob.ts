import { eraseJob as erase } from '../../domain/job/eraseJob.ts';
import { type EraseReply, eraseReplySchema } from '../../domain/schema/replies.ts';
import { succeeded } from '../http/envelope.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { UNKNOWN_IN_PATH } from '../http/refusals.ts';
import type { Route } from '../http/route.ts';

export const eraseJob: Route = {
  method: 'delete',
  path: '/jobs/:job_id',
  access: 'key',
  summary: 'Erase a job and all its files at once',
  description: 'Ends the job where it is running, then removes the upload, the profile, the result and the record.',
  reply: {
    contentType: 'application/json',
    data: eraseReplySchema,
    description: 'Nothing of the job is left.',
    example: { job_id: '0f8c1a…', status: 'erased' },
  },
  refusals: [UNKNOWN_IN_PATH],
  async handle(c) {
    const job = await jobInPath(c);
    await erase(c.get('service'), c.get('keyId'), job.id);
    const reply: EraseReply = { job_id: job.id, status: 'erased' };
    return c.json(succeeded(reply));
  },
};
