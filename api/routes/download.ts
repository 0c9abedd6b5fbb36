import { z } from 'zod';
import {
  CONVERSIONS,
  type ConversionName,
  OUTPUT_FORMAT_NAMES,
  OUTPUT_FORMATS,
  type OutputFormatName,
} from '../../packages/tables/formats.ts';
import type { OutputFormat } from '../../packages/tables/records.ts';
import type { Job } from '../../service/job/job.ts';
import { convertedKey, RESULT_FILE_NAME, resultKey } from '../../service/job/objectKeys.ts';
import { refuseWithheld } from '../../service/job/release.ts';
import { goneSignal, streamed } from '../http/atWork.ts';
import type { ApiContext } from '../http/context.ts';
import { parseQuery } from '../http/input.ts';
import { jobInPath, noResult, resultErased } from '../http/jobs.ts';
import { NO_RESULT, type Route, refusal, UNKNOWN_IN_PATH, WITHHELD } from '../http/route.ts';

const CSV = 'text/csv; charset=utf-8';

const FORMATS: readonly (readonly [OutputFormatName, OutputFormat])[] = OUTPUT_FORMAT_NAMES.map((name) => [
  name,
  OUTPUT_FORMATS[name],
]);
const NAMES = ['csv', ...FORMATS.map(([name]) => name)];

const querySchema = z.object({
  format: z
    .enum(NAMES, { error: `must be one of ${NAMES.join(', ')}` })
    .default('csv')
    .meta({ description: `${['csv', ...FORMATS.map(([name, { cells }]) => `${name}: ${cells}`)].join('; ')}.` }),
  safe: z
    .enum(['spreadsheet'], { error: 'must be spreadsheet' })
    .optional()
    .meta({ description: `spreadsheet: ${CONVERSIONS['safe.csv'].cells}; other formats need none.` }),
});

/** Lambda streams at most 200 MB; larger results are downloaded by a link if the store has links. */
const MAX_STREAMED_BYTES = 200_000_000;

export const download: Route = {
  method: 'get',
  path: '/download/:job_id',
  access: 'key',
  needs: ['find job', 'read result'],
  streams: true,
  summary: 'The synthetic table',
  description:
    'CSV in UTF-8, with the columns in the order of the upload and without ignored ones. It has no envelope; errors have one. With `Accept-Encoding: gzip`, CSV and JSON Lines are compressed. A result of more than 200 MB may be answered with status 302 and an address that is valid for five minutes.',
  query: querySchema,
  reply: {
    contentType: CSV,
    description: 'The file synthetic_data.csv.',
    example: 'species,bill_length_mm,body_mass_g\nGentoo,47.1,5050\n',
  },
  besides: [
    ...FORMATS.map(([name, { title, contentType }]) => ({
      status: 200 as const,
      description: `${title}, for \`format=${name}\`.`,
      contentType,
    })),
    { status: 302, description: 'The header Location has the address of a large result.' },
  ],
  refusals: [
    UNKNOWN_IN_PATH,
    refusal(
      'invalid_parameter',
      'There is no such `format` (the message lists the formats), or the table is too large for a workbook.',
    ),
    WITHHELD,
    NO_RESULT,
  ],
  async handle(c) {
    const job = await jobInPath(c);
    const { format, safe } = parseQuery(querySchema, c);
    if (job.state !== 'done') throw noResult(job);
    refuseWithheld(job);
    const { objects } = c.get('service');
    const key = resultKey(job.id, job.attempt);
    const isHead = c.req.method === 'HEAD';
    const other = FORMATS.find(([name]) => name === format);
    if (other) return converted(c, job, other);
    if (safe === 'spreadsheet') return converted(c, job, ['safe.csv', CONVERSIONS['safe.csv']]);
    const result = await resultOf(c, key);
    const headers = {
      'Content-Type': CSV,
      'Content-Disposition': `attachment; filename="${RESULT_FILE_NAME}"`,
      'Content-Length': String(result.bytes),
    };
    const download = { fileName: RESULT_FILE_NAME, contentType: CSV };
    const link = !isHead && result.bytes > MAX_STREAMED_BYTES ? await objects.link?.(key, download) : undefined;
    if (!isHead && link === undefined) return streamed(c, result.body, headers);
    await leave(result.body);
    return link === undefined ? new Response(null, { headers }) : c.redirect(link);
  },
};

async function resultOf(c: ApiContext, key: string): Promise<{ bytes: number; body: AsyncIterable<Uint8Array> }> {
  const { objects, settings } = c.get('service');
  const result = await objects.get(key);
  if (!result) throw resultErased(settings.resultRetentionHours);
  return result;
}

async function leave(body: AsyncIterable<Uint8Array>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

async function converted(
  c: ApiContext,
  job: Job,
  [name, format]: readonly [ConversionName, OutputFormat],
): Promise<Response> {
  const headers = {
    'Content-Type': format.contentType,
    'Content-Disposition': `attachment; filename="${RESULT_FILE_NAME.replace(/csv$/, name === 'safe.csv' ? 'csv' : name)}"`,
  };
  const source = resultKey(job.id, job.attempt);
  if (c.req.method === 'HEAD') {
    await leave((await resultOf(c, source)).body);
    return new Response(null, { headers });
  }
  const { work, settings } = c.get('service');
  const target = convertedKey(job.id, job.attempt, name);
  const as = { keyId: job.keyId, signal: goneSignal(c) };
  const made = await work.convert({ source, target, format: name, numeric: numericOf(job) }, as);
  if (!made) throw resultErased(settings.resultRetentionHours);
  const length = made.bytes === undefined ? {} : { 'Content-Length': String(made.bytes) };
  return streamed(c, made.body, { ...headers, ...length });
}

function numericOf({ request }: Job): string[] {
  const { target_col = null, continuous_cols = [] } = request ?? {};
  return [...continuous_cols, ...(target_col === null ? [] : [target_col])];
}
