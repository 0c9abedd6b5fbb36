/** Tools that give what a job made: rows, and the report. */
import Papa from 'papaparse';
import { z } from 'zod';
import type { JobMetrics } from '../../packages/client/contract.ts';
import { jobIdSchema } from '../../packages/contract/requests.ts';
import { cutRecords } from '../../packages/tables/records.ts';
import { decimal } from '../../packages/words/format.ts';
import { METRICS } from '../../packages/words/report.ts';
import { counted } from '../../packages/words/wording.ts';
import { defineTool } from '../tool.ts';

const MOST = 200;
const STANDARD = 20;

export const fetchRows = defineTool({
  name: 'fetch_rows',
  title: 'Rows of a synthetic table',
  description: `Rows of the synthetic table of a finished job, as CSV with a header line: at most ${MOST} per call. The resource synthetic-tables://jobs/{job_id}/synthetic_data.csv is the whole file.`,
  input: {
    job_id: jobIdSchema,
    offset: z.int().min(0).max(1_000_000).default(0).describe('Number of rows to skip.'),
    limit: z.int().min(1).max(MOST).default(STANDARD).describe(`Number of rows, 1 to ${MOST}; ${STANDARD} by default.`),
  },
  output: {
    job_id: z.string(),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.string())),
    offset: z.int(),
    more: z.boolean().describe('Whether more rows follow.'),
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { job_id, offset, limit }, { signal }) {
    const { body } = await service.download(job_id, { signal });
    const { columns, rows, more } = await takeRecords(body, offset, limit);
    const text = Papa.unparse([columns, ...rows], { newline: '\n' });
    return { text, data: { job_id, columns, rows, offset, more } };
  },
});

// Some records of a CSV stream: reads no further than to the last one that is wanted.

interface Records {
  columns: string[];
  rows: string[][];
  /** Whether there are records behind these. */
  more: boolean;
}

/** Reads a file as the service writes it: a header line, `"` around cells with commas, quotes or line breaks. */
export async function takeRecords(body: AsyncIterable<Uint8Array>, offset: number, limit: number): Promise<Records> {
  const wanted = 1 + offset + limit;
  const decoder = new TextDecoder();
  const kept: string[] = [];
  let [rest, records] = ['', 0];
  for await (const bytes of body) {
    const cut = cutRecords(rest + decoder.decode(bytes, { stream: true }));
    rest = cut.rest;
    for (const record of cut.records) {
      if (records === 0 || (records > offset && records < wanted)) kept.push(record);
      records++;
    }
    if (records > wanted) break;
  }
  if (rest !== '' && records < wanted) kept.push(rest);
  const [columns = [], ...rows] = Papa.parse<string[]>(kept.join(''), { delimiter: ',' }).data;
  return { columns, rows: rows.slice(0, Math.min(limit, kept.length - 1)), more: records > wanted };
}

export const fetchReport = defineTool({
  name: 'fetch_report',
  title: 'Quality of the synthetic table',
  description:
    'Verdicts, metrics and notes on the synthetic table of a finished job: fidelity, utility and privacy, each compared with held-out real rows.',
  input: { job_id: jobIdSchema },
  output: {
    job_id: z.string(),
    status: z.string(),
    judgements: z
      .array(
        z.looseObject({ area: z.string(), grade: z.string(), headline: z.string(), sentences: z.array(z.string()) }),
      )
      .describe('Verdicts in words; empty if the job is not done.'),
    metrics: z.looseObject({}).nullable().describe('Null if the job is not done.'),
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { job_id }, { signal }) {
    const { status, metrics } = await service.status(job_id, { signal });
    if (!metrics) {
      const text = `Job ${job_id} is ${status}; its report is available when it is done.`;
      return { text, data: { job_id, status, judgements: [], metrics: null } };
    }
    const judgements = metrics.verdicts ?? [];
    const verdicts = judgements.map(({ area, grade, headline, sentences, next }) =>
      [`${area}: ${grade}. ${headline}`, ...sentences, ...next.map((step) => `Next: ${step.text}`)].join(' '),
    );
    const text = [...verdicts, describeMetrics(metrics)].join('\n');
    return { text, data: { job_id, status, judgements, metrics: { ...metrics } } };
  },
});

// The figures of a finished job in words.

const figure = (value: number | string | null | undefined): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? decimal(value) : 'not available';

function describeMetrics(metrics: JobMetrics): string {
  const holdout = new Map<string, number | null>(Object.entries(metrics.holdout ?? {}));
  const beside = (name: string) => (holdout.has(name) ? `; held-out real rows: ${figure(holdout.get(name))}` : '');
  return [
    `${counted(metrics.rows_generated, 'row')}, ${counted(metrics.columns.length, 'column')}, seed ${metrics.seed}.`,
    ...Object.entries(metrics.numeric).map(
      ([name, value]) => `- ${name}: ${figure(value)}${beside(name)} (${meaningOf(name)})`,
    ),
    ...metrics.notes.map((note) => `Note: ${note}`),
  ].join('\n');
}

const meaningOf = (name: string): string => new Map(Object.entries(METRICS)).get(name)?.meaning ?? '';
