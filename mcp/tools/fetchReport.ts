import { z } from 'zod';
import { jobIdSchema } from '../../domain/schema/generateRequest.ts';
import { describeMetrics } from '../describeMetrics.ts';
import { defineTool } from '../tool.ts';

export const fetchReport = defineTool({
  name: 'fetch_report',
  title: 'How good is the synthetic table?',
  description:
    'What was measured of the synthetic table of a job that is done: how it resembles the real one, how useful and how private it is, beside the same figures of real rows that no model saw, and notes.',
  input: { job_id: jobIdSchema },
  output: {
    job_id: z.string(),
    status: z.string(),
    metrics: z.looseObject({}).nullable().describe('Null where the job is not done.'),
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { job_id }, { signal }) {
    const { status, metrics } = await service.status(job_id, { signal });
    const text = metrics ? describeMetrics(metrics) : `Job ${job_id} is ${status}: there is a report when it is done.`;
    return { text, data: { job_id, status, metrics: metrics ? { ...metrics } : null } };
  },
});
