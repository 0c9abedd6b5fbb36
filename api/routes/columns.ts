import { loadProfile } from '../../domain/job/loadProfile.ts';
import { uploadReplySchema } from '../../domain/schema/replies.ts';
import { succeeded } from '../http/envelope.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { type Route, refusal } from '../http/route.ts';
import { uploadReport } from '../http/uploadReport.ts';
import { uploadExample } from '../openapi/uploadExample.ts';

export const columns: Route = {
  method: 'get',
  path: '/jobs/:job_id/columns',
  access: 'key',
  summary: 'What the columns of an upload are, again',
  description: 'The same as POST /upload answered, for as long as the upload is kept.',
  reply: {
    contentType: 'application/json',
    data: uploadReplySchema,
    description: 'The job and its columns.',
    example: uploadExample,
  },
  refusals: [refusal('invalid_job', 'No job of this id is known to this key, or its upload has been erased.', 404)],
  async handle(c) {
    const job = await jobInPath(c);
    return c.json(succeeded(uploadReport(job.id, await loadProfile(c.get('service'), job, 404))));
  },
};
