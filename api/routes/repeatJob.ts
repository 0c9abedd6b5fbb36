import { z } from 'zod';
import { uploadReplySchema } from '../../packages/contract/replies.ts';
import { repeatJob as repeat } from '../../service/job/repeatJob.ts';
import { digestOfParts, idempotent } from '../http/idempotent.ts';
import { answerUpload, jobInPath } from '../http/jobs.ts';
import { type Route, refusal, STORAGE_FULL } from '../http/route.ts';
import { uploadExample } from '../openapi/examples.ts';

const keptSchema = z.object({ job_id: z.string() });

export const repeatJob: Route = {
  method: 'post',
  path: '/jobs/:job_id/repeat',
  access: 'key',
  repeatable: true,
  needs: ['find job', 'repeat upload'],
  summary: 'A new job on the same upload',
  description:
    'Makes a new job on a copy of the upload, so that a table can be generated again with other settings without sending the file. The job itself is left as it is. Answers as POST /upload does. Of a sample, the upload of its source is copied.',
  reply: {
    contentType: 'application/json',
    status: 201,
    data: uploadReplySchema,
    description: 'The new job and its columns.',
    example: uploadExample,
  },
  refusals: [
    refusal('invalid_job', 'This key has no job with this id, or its upload has been erased.', 404),
    refusal('quota_exceeded', 'The key has as many jobs, or bytes of uploads, as the operator allows it.'),
    STORAGE_FULL,
  ],
  async handle(c) {
    const job = await jobInPath(c);
    return idempotent(c, {
      digest: () => digestOfParts([c.req.path]),
      async work(settle) {
        const { id } = await repeat(c.get('service'), job, (job_id) => settle({ job_id }));
        return { job_id: id };
      },
      kept: keptSchema,
      answer: ({ job_id }) => answerUpload(c, job_id, { status: 201 }),
    });
  },
};
