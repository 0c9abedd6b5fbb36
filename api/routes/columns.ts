import { uploadReplySchema } from '../../packages/contract/replies.ts';
import { jobInPath, uploadReply } from '../http/jobs.ts';
import { type Route, refusal } from '../http/route.ts';
import { uploadExample } from '../openapi/examples.ts';

export const columns: Route = {
  method: 'get',
  path: '/jobs/:job_id/columns',
  access: 'key',
  needs: ['find job', 'read columns'],
  summary: 'The columns of an upload, again',
  description: 'The same answer as from POST /upload, for as long as the upload is kept.',
  reply: {
    contentType: 'application/json',
    data: uploadReplySchema,
    description: 'The job and its columns.',
    example: uploadExample,
  },
  refusals: [refusal('invalid_job', 'This key has no job with this id, or its upload has been erased.', 404)],
  async handle(c) {
    return uploadReply(c, await jobInPath(c));
  },
};
