import { type EraseReply, eraseReplySchema } from '../../packages/contract/replies.ts';
import { eraseJob as erase } from '../../service/job/endJob.ts';
import { jobInPath } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import { type Route, UNKNOWN_IN_PATH } from '../http/route.ts';

export const eraseJob: Route = {
  method: 'delete',
  path: '/jobs/:job_id',
  access: 'key',
  needs: ['find job', 'erase job'],
  summary: 'Erase a job and all its files at once',
  description: 'Stops the job if it is running, then deletes the upload, the profile, the result and the record.',
  reply: {
    contentType: 'application/json',
    data: eraseReplySchema,
    description: 'The job has been deleted.',
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
