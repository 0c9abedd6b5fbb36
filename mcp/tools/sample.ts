import { z } from 'zod';
import { jobIdSchema } from '../../domain/schema/generateRequest.ts';
import { sampleRequestSchema } from '../../domain/schema/sampleRequest.ts';
import { defineTool } from '../tool.ts';

export const sample = defineTool({
  name: 'sample',
  title: 'More rows from a finished job',
  description:
    'Draws more rows from the model of a job that is done, without fitting it again. Answers at once with the job_id of the new rows. Next: follow it, then fetch_rows.',
  input: { job_id: jobIdSchema, ...sampleRequestSchema.shape },
  output: { job_id: z.string(), status: z.string(), sample_of: z.string() },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(service, { job_id: source, ...request }, { signal }) {
    const { job_id, status, sample_of } = await service.sample(source, request, { signal });
    return {
      text: `Job ${job_id} ${status}: rows from the model of job ${sample_of}.`,
      data: { job_id, status, sample_of },
    };
  },
});
