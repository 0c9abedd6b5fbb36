import { z } from 'zod';
import type { Job } from '../../domain/job/job.ts';
import type { JobMark } from '../../domain/ports.ts';
import { type JobsReply, jobsReplySchema } from '../../domain/schema/replies.ts';
import { succeeded } from '../http/envelope.ts';
import { parseQuery } from '../http/parseQuery.ts';
import { type Route, refusal } from '../http/route.ts';
import { failureOf, sampleOf } from '../http/statusOf.ts';

const MOST = 100;
const BOUNDS = { error: `must be a whole number from 1 to ${MOST}` };

/** The moment at which a job was made and its id, as `nextOf` writes them. */
const MARK = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)_([\w-]{1,64})$/;
const UNKNOWN_MARK =
  'is not what GET /jobs gave: send `next` of the answer before, or leave it out for the newest jobs';

const querySchema = z.object({
  limit: z.coerce
    .number(BOUNDS)
    .int(BOUNDS)
    .min(1, BOUNDS)
    .max(MOST, BOUNDS)
    .default(20)
    .meta({ description: `Jobs in one answer, 1 to ${MOST}; 20 where left out.` }),
  after: z
    .string()
    .regex(MARK, { error: UNKNOWN_MARK })
    .optional()
    .meta({ description: '`next` of the answer before; the newest jobs where left out.' }),
});

export const listJobs: Route = {
  method: 'get',
  path: '/jobs',
  access: 'key',
  summary: 'The jobs of this key',
  description:
    'The newest first, page by page. Jobs of other keys are not among them. A new job may show up some moments late.',
  query: querySchema,
  reply: {
    contentType: 'application/json',
    data: jobsReplySchema,
    description: 'A page of jobs.',
    example: {
      jobs: [
        {
          job_id: '0f8c1a…',
          status: 'running',
          file_name: 'penguins.csv',
          file_bytes: 13478,
          created_at: '2026-11-03T09:00:00.000Z',
          started_at: '2026-11-03T09:01:00.000Z',
          ended_at: null,
          progress: 'Sampling: 500 of 2,000 steps',
          rows_generated: null,
          error: null,
        },
      ],
      next: null,
    },
  },
  refusals: [refusal('invalid_parameter', '`limit` is out of bounds, or `after` is not what an answer gave.')],
  async handle(c) {
    const { limit, after } = parseQuery(querySchema, c);
    const found = await c
      .get('service')
      .jobs.madeBy(c.get('keyId'), limit + 1, after === undefined ? null : markOf(after));
    const jobs = found.slice(0, limit);
    const last = found.length > limit ? jobs.at(-1) : undefined;
    const reply: JobsReply = { jobs: jobs.map(listed), next: last ? nextOf(last) : null };
    return c.json(succeeded(reply));
  },
};

const listed = (job: Job): JobsReply['jobs'][number] => ({
  job_id: job.id,
  status: job.state,
  ...sampleOf(job),
  file_name: job.fileName,
  file_bytes: job.fileBytes,
  created_at: job.createdAt,
  started_at: job.startedAt,
  ended_at: job.endedAt,
  progress: job.progress.at(-1) ?? null,
  rows_generated: job.state === 'done' ? (job.metrics?.rows_generated ?? null) : null,
  error: failureOf(job),
});

const nextOf = ({ createdAt, id }: Job): string => `${createdAt}_${id}`;

/** `after` has passed the schema. */
function markOf(after: string): JobMark {
  const [, createdAt = '', id = ''] = MARK.exec(after) ?? [];
  return { createdAt, id };
}
