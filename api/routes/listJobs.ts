import { z } from 'zod';
import { type JobsReply, jobsReplySchema, type ListedJob } from '../../packages/contract/replies.ts';
import { entryText } from '../../packages/words/events.ts';
import type { Job } from '../../service/job/job.ts';
import type { JobMark } from '../../service/ports.ts';
import { parseQuery } from '../http/input.ts';
import { errorOf, otherJobOf } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import { type Route, refusal } from '../http/route.ts';

const MOST = 100;
const BOUNDS = { error: `must be a whole number from 1 to ${MOST}` };

/** As `nextOf` writes it. */
const MARK = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)_([\w-]{1,64})$/;
const UNKNOWN_MARK = 'is not the `next` of an earlier answer: give that, or leave it out for the newest jobs';

const querySchema = z.object({
  limit: z.coerce
    .number(BOUNDS)
    .int(BOUNDS)
    .min(1, BOUNDS)
    .max(MOST, BOUNDS)
    .default(20)
    .meta({ description: `Jobs per page, 1 to ${MOST}; 20 by default.` }),
  after: z
    .string()
    .regex(MARK, { error: UNKNOWN_MARK })
    .optional()
    .meta({ description: '`next` of the previous page; the newest jobs by default.' }),
});

export const listJobs: Route = {
  method: 'get',
  path: '/jobs',
  access: 'key',
  needs: ['list jobs'],
  summary: 'The jobs of this key',
  description: 'Newest first, in pages, and only those of this key. A new job may take a moment to appear.',
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
          progress: 'Sampling: 500 of 2,000 iterations, 0 divergences (4.2 s)',
          event: {
            stage: 'fit',
            fact: 'chains_sampled',
            seconds: 4.2,
            parameter: null,
            done: 500,
            total: 2000,
            divergences: 0,
          },
          rows_generated: null,
          error: null,
        },
      ],
      next: null,
    },
  },
  refusals: [
    refusal('invalid_parameter', '`limit` is out of bounds, or `after` is not a value that an answer returned.'),
  ],
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

const listed = (job: Job): ListedJob => ({
  job_id: job.id,
  status: job.state,
  ...otherJobOf(job),
  file_name: job.fileName,
  file_bytes: job.fileBytes,
  created_at: job.createdAt,
  started_at: job.startedAt,
  ended_at: job.endedAt,
  ...latestOf(job),
  rows_generated: job.state === 'done' ? (job.metrics?.rows_generated ?? null) : null,
  ...(job.request?.privacy && { figures_for_owner: true }),
  error: errorOf(job),
});

function latestOf({ progress }: Job): Pick<ListedJob, 'progress' | 'event'> {
  const last = progress.at(-1);
  if (last === undefined) return { progress: null, event: null };
  return { progress: entryText(last, 'http'), event: typeof last === 'object' ? last : null };
}

const nextOf = ({ createdAt, id }: Job): string => `${createdAt}_${id}`;

function markOf(after: string): JobMark {
  const [, createdAt = '', id = ''] = MARK.exec(after) ?? [];
  return { createdAt, id };
}
