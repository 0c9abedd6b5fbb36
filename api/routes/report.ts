import { z } from 'zod';
import { fromStore, ServiceError } from '../../packages/contract/errors.ts';
import {
  type Audience,
  RECEIPT_KEY_MARK,
  type ReportData,
  reportSchema,
  sharedReportSchema,
} from '../../packages/contract/report.ts';
import { generateRequestSchema } from '../../packages/contract/requests.ts';
import type { Job } from '../../service/job/job.ts';
import { type ReportKind, readObject, reportKey } from '../../service/job/objectKeys.ts';
import { releaseStateOf } from '../../service/job/release.ts';
import { keyIdOf } from '../../service/receipt.ts';
import { findJob } from '../../service/service.ts';
import { audienceOf, audienceQuery } from '../http/audience.ts';
import type { ApiContext } from '../http/context.ts';
import { finishedObject, jobInPath, noResult } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import { type Route, refusal, UNKNOWN_IN_PATH } from '../http/route.ts';
import { softwareExample, statusExample } from '../openapi/examples.ts';

const { job_id: _, ...request } = generateRequestSchema.parse({
  job_id: '0f8c1a…',
  target_col: 'body_mass_g',
  continuous_cols: ['bill_length_mm'],
  categorical_cols: ['species'],
  n_samples: 1000,
  seed: 7,
});

if (!statusExample.metrics) throw new Error('the example of a finished job has metrics');

const SPECIES = {
  column: 'species',
  kind: 'levels' as const,
  bins: 3,
  ticks: [
    { at: 0.5, text: 'Adelie' },
    { at: 1.5, text: 'Gentoo' },
    { at: 2.5, text: 'Chinstrap' },
  ],
};

const reportExample: ReportData = {
  format: 'synthetic-tables-report/2',
  job_id: '0f8c1a…',
  made_at: '2026-11-03T09:05:00.000Z',
  file_name: 'penguins.csv',
  rows: { real: 344, synthetic: 1000 },
  identity: {
    input_commitment: '5a0f…',
    output_sha256: '9c41…',
    output_bytes: 41_213,
    receipt_key_id: '1d6e…',
  },
  judgements: [
    {
      area: 'likeness',
      grade: 'good',
      headline: 'The synthetic rows resemble the real ones as closely as other real rows do.',
      sentences: ['Single columns: 97.1 % agreement with the real ones.'],
      next: [],
      inherited: false,
    },
  ],
  columns: [
    {
      name: 'species',
      role: 'categorical',
      axis: SPECIES,
      real: [0.442, 0.36, 0.198],
      synthetic: [0.44, 0.37, 0.19],
      overlap: 0.99,
      overlap_by_chance: 0.98,
      missing_real: 0,
      missing_synthetic: 0,
      reason: null,
    },
  ],
  columns_left_out: 0,
  columns_not_used: [{ name: 'tag', kind: 'identifier' }],
  associations: {
    rows: { real: 344, synthetic: 1000 },
    differences: {
      pairs: 1,
      mean: 0.01,
      columns: [
        { name: 'body_mass_g', mean: 0.01, largest: 0.01, with: 'bill_length_mm' },
        { name: 'bill_length_mm', mean: 0.01, largest: 0.01, with: 'body_mass_g' },
      ],
      largest: [{ measure: 'spearman', columns: ['body_mass_g', 'bill_length_mm'], real: 0.58, synthetic: 0.57 }],
    },
    columns: ['body_mass_g', 'bill_length_mm', 'species'],
    matrices: [{ measure: 'spearman', pairs: [{ columns: [0, 1], real: 0.58, synthetic: 0.57 }] }],
  },
  contingencies: [],
  scatters: [],
  distances: null,
  sequences: null,
  text_samples: [],
  request,
  software: softwareExample,
  metrics: statusExample.metrics,
};

const HTML = 'text/html; charset=utf-8';

/** Inline style and drawings, no script. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Withheld rows are left out of the owner's report. Throws `no_result`. */
async function reportOf(c: ApiContext, job: Job, kind: ReportKind, audience: Audience): Promise<string> {
  if (audience === 'sharing') return decodeText(await sharedReportOf(c, job, kind));
  const form = releaseStateOf(job) === 'withheld' ? 'withheld' : 'whole';
  return decodeText(await finishedObject(c, job, reportKey(job.id, job.attempt, kind, form)));
}

async function sharedReportOf(c: ApiContext, job: Job, kind: ReportKind): Promise<Uint8Array> {
  if (job.state !== 'done') throw noResult(job);
  if (!job.metrics?.formal_privacy) throw new ServiceError({ reason: 'report_not_for_sharing', job_id: job.id });
  const { objects } = c.get('service');
  const found = await readObject(objects, reportKey(job.id, job.attempt, kind, 'sharing'));
  if (found) return found;
  // Older jobs only have the owner's report.
  await finishedObject(c, job, reportKey(job.id, job.attempt, kind));
  throw new ServiceError({ reason: 'report_for_sharing_missing', job_id: job.id });
}

const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The service signs, so the job does not know the key. */
async function signingKeyId(c: ApiContext): Promise<string | null> {
  const key = await c.get('service').signer.publishedKey();
  return key && keyIdOf(key);
}

const NO_REPORT = refusal(
  'no_result',
  'The job is not finished, has failed, or its result was erased; with `for=sharing` also: it was made without `privacy`, or by a version that wrote no report for sharing.',
);
const UNKNOWN_AUDIENCE = refusal('invalid_parameter', '`for` is neither owner nor sharing.');

const NO_KEY_YET = 'made with the first receipt';

export const report: Route = {
  method: 'get',
  path: '/report/:job_id',
  access: 'key',
  needs: ['find job', 'read report', 'name signing key'],
  summary: 'Quality report, as an HTML page',
  description:
    'One self-contained HTML page, for screen and paper: verdicts and the figures behind them, what the table was made from, scores by column, distributions, associations, numbers from row to row of entities, attacks with what they assume, the target model, examples of synthetic texts, and a page to sign. It shows no individual real row, and no synthetic text or sequence while the rows are withheld. Of a job with `privacy` it is for the owner of the file alone; `for=sharing` gives one that may be handed on: the promise, the domain, and the synthetic rows by column and pair.',
  query: audienceQuery,
  reply: { contentType: HTML, description: 'The report.' },
  refusals: [UNKNOWN_IN_PATH, NO_REPORT, UNKNOWN_AUDIENCE],
  async handle(c) {
    const audience = audienceOf(c);
    const job = await jobInPath(c);
    const headers = {
      'Content-Type': HTML,
      'Content-Security-Policy': PAGE_POLICY,
      'Referrer-Policy': 'no-referrer',
      'Content-Disposition': `inline; filename="${audience === 'sharing' ? 'report-for-sharing' : 'report'}.html"`,
    };
    const page = await reportOf(c, job, 'html', audience);
    const keyId = await signingKeyId(c);
    return new Response(page.replaceAll(RECEIPT_KEY_MARK, keyId ?? NO_KEY_YET), { headers });
  },
};

export const reportData: Route = {
  method: 'get',
  path: '/report/:job_id.json',
  pattern: '/report/:job_id{[^/]+\\.json}',
  access: 'key',
  needs: ['find job', 'read report', 'name signing key'],
  summary: 'Quality report, as JSON',
  description:
    'The data of GET /report/{job_id}. With `for=sharing`, `format` is synthetic-tables-report-for-sharing/1, and fields that compare with real rows are absent.',
  query: audienceQuery,
  reply: {
    contentType: 'application/json',
    data: z.union([reportSchema, sharedReportSchema]),
    description: 'The data of the report.',
    example: reportExample,
  },
  refusals: [UNKNOWN_IN_PATH, NO_REPORT, UNKNOWN_AUDIENCE],
  async handle(c) {
    const audience = audienceOf(c);
    const id = (c.req.param('job_id') ?? '').replace(/\.json$/, '');
    const job = await findJob(c.get('service'), c.get('keyId'), id);
    c.set('jobId', job.id);
    const text = await reportOf(c, job, 'json', audience);
    const schema = audience === 'sharing' ? sharedReportSchema : reportSchema;
    const found = fromStore(() => schema.parse(JSON.parse(text)));
    const identity = found.identity && { ...found.identity, receipt_key_id: await signingKeyId(c) };
    return c.json(succeeded({ ...found, identity }));
  },
};
