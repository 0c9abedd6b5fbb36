/** The jobs of the key: list, cancel, erase. */
import { z } from 'zod';
import { jobIdSchema } from '../../domain/schema/generateRequest.ts';
import { defineTool } from '../tool.ts';

export const listJobs = defineTool({
  name: 'list_jobs',
  title: 'List my jobs',
  description: 'The jobs of this key, the newest first, with their state and latest line of progress.',
  input: {
    limit: z.int().min(1).max(100).default(20).describe('Jobs to give, 1 to 100; 20 where left out.'),
    after: z.string().optional().describe('next of the answer before; the newest jobs where left out.'),
  },
  output: {
    jobs: z.array(z.looseObject({ job_id: z.string(), status: z.string(), file_name: z.string() })),
    next: z.string().nullable(),
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { limit, after }, { signal }) {
    const { jobs, next } = await service.jobs({ limit, ...(after !== undefined && { after }) }, { signal });
    const lines = jobs.map(
      ({ job_id, status, file_name, created_at, progress }) =>
        `${job_id} ${status} ${file_name} (${created_at})${progress === null ? '' : `: ${progress}`}`,
    );
    return { text: lines.length > 0 ? lines.join('\n') : 'There is no job yet.', data: { jobs, next } };
  },
});

export const cancelJob = defineTool({
  name: 'cancel_job',
  title: 'Stop a running job',
  description: 'Stops a running job; generate may start it again.',
  input: { job_id: jobIdSchema },
  output: { job_id: z.string(), status: z.string() },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run(service, { job_id }, { signal }) {
    const { status } = await service.cancel(job_id, { signal });
    return { text: `Job ${job_id} was stopped; it is ${status}.`, data: { job_id, status } };
  },
});

export const eraseJob = defineTool({
  name: 'erase_job',
  title: 'Erase a job',
  description:
    'Removes a job and everything of it at once: the upload, the result and the record. It cannot be undone.',
  input: { job_id: jobIdSchema },
  output: { job_id: z.string(), status: z.string() },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run(service, { job_id }, { signal }) {
    const { status } = await service.erase(job_id, { signal });
    return { text: `Job ${job_id} is ${status}.`, data: { job_id, status } };
  },
});
