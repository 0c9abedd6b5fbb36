import { z } from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job/job.ts';
import { RESULT_FILE_NAME, resultKey } from '../../domain/job/objectKeys.ts';
import { refuseWithheld } from '../../domain/job/release.ts';
import { findCellTypes } from '../../domain/table/cellTypes.ts';
import { toJsonLines } from '../../domain/table/toJsonLines.ts';
import { toParquet } from '../../domain/table/toParquet.ts';
import { noWorkbook, toWorkbook } from '../../domain/table/toWorkbook.ts';
import type { ApiContext } from '../http/context.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { erased, whyNoResult } from '../http/noResult.ts';
import { parseQuery } from '../http/parseQuery.ts';
import { NO_RESULT, UNKNOWN_IN_PATH, WITHHELD } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';

const CSV = 'text/csv; charset=utf-8';

/** What a result is given as, besides CSV: made as it is sent, and never stored. */
const OTHERS = {
  jsonl: 'application/jsonl; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
type Other = keyof typeof OTHERS;

const FORMATS = ['csv', 'jsonl', 'parquet', 'xlsx'] as const;

const querySchema = z.object({
  format: z
    .enum(FORMATS, { error: `must be one of ${FORMATS.join(', ')}` })
    .default('csv')
    .meta({
      description:
        'csv; jsonl: an object a row and line, every cell as the text that the CSV file has; parquet: of the target and continuous columns whole numbers as INT64 and decimals as DOUBLE, all else, dates too, as UTF-8 text as it is written, missing cells as nulls; xlsx: an Excel workbook with the same numbers and texts, no cell a formula, missing cells empty.',
    }),
});

/** What Lambda streams at most is 200 MB. A larger result is fetched from where it lies, on a store that gives out links. */
const MOST_STREAMED_BYTES = 200_000_000;

export const download: Route = {
  method: 'get',
  path: '/download/:job_id',
  access: 'key',
  summary: 'The synthetic table',
  description:
    'Raw CSV in UTF-8, in the column order of the upload without the ignored columns. No envelope around it; errors have one. With `Accept-Encoding: gzip` CSV and JSON Lines are compressed on their way. A result of more than 200 MB may be answered with 302 and the address to get it from, good for five minutes.',
  query: querySchema,
  reply: {
    contentType: CSV,
    description: 'The file synthetic_data.csv.',
    example: 'species,bill_length,mass\nGentoo,47.1,5050\n',
  },
  besides: [
    { status: 200, description: 'As JSON Lines, where `format` is jsonl.', contentType: OTHERS.jsonl },
    { status: 200, description: 'As Parquet, where `format` is parquet.', contentType: OTHERS.parquet },
    { status: 200, description: 'As an Excel workbook, where `format` is xlsx.', contentType: OTHERS.xlsx },
    { status: 302, description: 'Location has the address of a large result.' },
  ],
  refusals: [
    UNKNOWN_IN_PATH,
    refusal(
      'invalid_parameter',
      'There is no such `format`; the message lists those that there are. Or the table is larger than a sheet of a workbook can be.',
    ),
    WITHHELD,
    NO_RESULT,
  ],
  async handle(c) {
    const job = await jobInPath(c);
    const { format } = parseQuery(querySchema, c);
    if (job.state !== 'done') throw new ServiceError('no_result', whyNoResult(job));
    refuseWithheld(job);
    const { objects } = c.get('service');
    const key = resultKey(job.id, job.attempt);
    const isHead = c.req.method === 'HEAD';
    if (format !== 'csv') return converted(c, job, format);
    const result = await resultOf(c, key);
    const headers = {
      'Content-Type': CSV,
      'Content-Disposition': `attachment; filename="${RESULT_FILE_NAME}"`,
      'Content-Length': String(result.bytes),
    };
    const download = { fileName: RESULT_FILE_NAME, contentType: CSV };
    const link = !isHead && result.bytes > MOST_STREAMED_BYTES ? await objects.link?.(key, download) : undefined;
    if (!isHead && link === undefined) return new Response(ReadableStream.from(result.body), { headers });
    await leave(result.body);
    return link === undefined ? new Response(null, { headers }) : c.redirect(link);
  },
};

async function resultOf(c: ApiContext, key: string): Promise<{ bytes: number; body: AsyncIterable<Uint8Array> }> {
  const { objects, settings } = c.get('service');
  const result = await objects.get(key);
  if (!result) throw new ServiceError('no_result', erased(settings.resultRetentionHours));
  return result;
}

async function leave(body: AsyncIterable<Uint8Array>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

/** Made as it is sent, whatever its size: its length is not known beforehand. Types are found by reading it once before. */
async function converted(c: ApiContext, job: Job, format: Other): Promise<Response> {
  const key = resultKey(job.id, job.attempt);
  const headers = {
    'Content-Type': OTHERS[format],
    'Content-Disposition': `attachment; filename="${RESULT_FILE_NAME.replace(/csv$/, format)}"`,
  };
  const isHead = c.req.method === 'HEAD';
  if (isHead || format === 'jsonl') {
    const { body } = await resultOf(c, key);
    if (!isHead) return new Response(ReadableStream.from(toJsonLines(body)), { headers });
    await leave(body);
    return new Response(null, { headers });
  }
  const { target_col = null, continuous_cols = [] } = job.request ?? {};
  const numeric = new Set([...continuous_cols, ...(target_col === null ? [] : [target_col])]);
  const types = await findCellTypes((await resultOf(c, key)).body, numeric);
  const why = format === 'xlsx' ? noWorkbook(types) : undefined;
  if (why !== undefined) {
    const message = `The table cannot be had as a workbook: ${why}. Ask for format=csv, jsonl or parquet.`;
    throw new ServiceError('invalid_parameter', message);
  }
  const { body } = await resultOf(c, key);
  const made = format === 'parquet' ? toParquet(body, types.columns) : toWorkbook(body, types);
  return new Response(ReadableStream.from(made), { headers });
}
