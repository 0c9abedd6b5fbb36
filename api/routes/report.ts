import { findJob } from '../../domain/job/findJob.ts';
import type { Job } from '../../domain/job/job.ts';
import { type ReportKind, reportKey } from '../../domain/job/objectKeys.ts';
import { releaseStateOf } from '../../domain/job/release.ts';
import { reportSchema } from '../../domain/schema/report.ts';
import type { ApiContext } from '../http/context.ts';
import { succeeded } from '../http/envelope.ts';
import { finishedObject } from '../http/finishedObject.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { NO_RESULT, UNKNOWN_IN_PATH } from '../http/refusals.ts';
import type { Route } from '../http/route.ts';
import { reportExample } from '../openapi/reportExample.ts';

const HTML = 'text/html; charset=utf-8';

/** The page has its style and its drawings inside, and runs no script. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** While rows are withheld, the report has no sample of them. */
const reportOf = (c: ApiContext, job: Job, kind: ReportKind): Promise<string> =>
  finishedObject(c, job, reportKey(job.id, job.attempt, kind, releaseStateOf(job) === 'withheld'));

export const report: Route = {
  method: 'get',
  path: '/report/:job_id',
  access: 'key',
  summary: 'How good the table is, as a page to keep',
  description:
    'One HTML page with everything inside: verdicts in words, distributions, associations, privacy, how the model was fitted, samples of synthetic texts. It shows no single real row; while the rows are withheld, no synthetic text either.',
  reply: { contentType: HTML, description: 'The page.' },
  refusals: [UNKNOWN_IN_PATH, NO_RESULT],
  async handle(c) {
    const job = await jobInPath(c);
    const headers = {
      'Content-Type': HTML,
      'Content-Security-Policy': PAGE_POLICY,
      'Referrer-Policy': 'no-referrer',
      'Content-Disposition': `inline; filename="report.html"`,
    };
    return new Response(await reportOf(c, job, 'html'), { headers });
  },
};

export const reportData: Route = {
  method: 'get',
  path: '/report/:job_id.json',
  pattern: '/report/:job_id{[^/]+\\.json}',
  access: 'key',
  summary: 'What the report shows, as data',
  description: 'All that GET /report/{job_id} draws and says.',
  reply: {
    contentType: 'application/json',
    data: reportSchema,
    description: 'The data of the report.',
    example: reportExample,
  },
  refusals: [UNKNOWN_IN_PATH, NO_RESULT],
  async handle(c) {
    const id = (c.req.param('job_id') ?? '').replace(/\.json$/, '');
    const job = await findJob(c.get('service'), c.get('keyId'), id, 404);
    c.set('jobId', job.id);
    return c.json(succeeded(reportSchema.parse(JSON.parse(await reportOf(c, job, 'json')))));
  },
};
