import { z } from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import { RESULT_FILE_NAME, resultKey } from '../../domain/job/objectKeys.ts';
import { refuseWithheld } from '../../domain/job/release.ts';
import { toJsonLines } from '../../domain/table/toJsonLines.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { erased, whyNoResult } from '../http/noResult.ts';
import { parseQuery } from '../http/parseQuery.ts';
import { NO_RESULT, UNKNOWN_IN_PATH, WITHHELD } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';

const CSV = 'text/csv; charset=utf-8';
const JSON_LINES = 'application/jsonl; charset=utf-8';

const FORMATS = ['csv', 'jsonl'] as const;

const querySchema = z.object({
  format: z
    .enum(FORMATS, { error: `must be one of ${FORMATS.join(', ')}` })
    .default('csv')
    .meta({ description: 'csv, or jsonl: an object a row and line, every cell as the text that the CSV file has.' }),
});

/** What Lambda streams at most is 200 MB. A larger result is fetched from where it lies, on a store that gives out links. */
const MOST_STREAMED_BYTES = 200_000_000;

export const download: Route = {
  method: 'get',
  path: '/download/:job_id',
  access: 'key',
  summary: 'The synthetic table',
  description:
    'Raw CSV in UTF-8, in the column order of the upload without the ignored columns. No envelope around it; errors have one. A result of more than 200 MB may be answered with 302 and the address to get it from, good for five minutes.',
  query: querySchema,
  reply: {
    contentType: CSV,
    description: 'The file synthetic_data.csv.',
    example: 'species,bill_length,mass\nGentoo,47.1,5050\n',
  },
  besides: [
    { status: 200, description: 'As JSON Lines, where `format` is jsonl.', contentType: JSON_LINES },
    { status: 302, description: 'Location has the address of a large result.' },
  ],
  refusals: [
    UNKNOWN_IN_PATH,
    refusal('invalid_parameter', 'There is no such `format`; the message lists those that there are.'),
    WITHHELD,
    NO_RESULT,
  ],
  async handle(c) {
    const job = await jobInPath(c);
    const { format } = parseQuery(querySchema, c);
    if (job.state !== 'done') throw new ServiceError('no_result', whyNoResult(job));
    refuseWithheld(job);
    const { objects, settings } = c.get('service');
    const key = resultKey(job.id, job.attempt);
    const result = await objects.get(key);
    if (!result) throw new ServiceError('no_result', erased(settings.resultRetentionHours));
    const isHead = c.req.method === 'HEAD';
    if (format === 'jsonl') return jsonLines(result.body, isHead);
    const headers = {
      'Content-Type': CSV,
      'Content-Disposition': `attachment; filename="${RESULT_FILE_NAME}"`,
      'Content-Length': String(result.bytes),
    };
    const download = { fileName: RESULT_FILE_NAME, contentType: CSV };
    const link = !isHead && result.bytes > MOST_STREAMED_BYTES ? await objects.link?.(key, download) : undefined;
    if (!isHead && link === undefined) return new Response(ReadableStream.from(result.body), { headers });
    await result.body[Symbol.asyncIterator]().return?.();
    return link === undefined ? new Response(null, { headers }) : c.redirect(link);
  },
};

/** Made as it is sent, whatever its size: its length is not known beforehand, and no store has it. */
async function jsonLines(csv: AsyncIterable<Uint8Array>, isHead: boolean): Promise<Response> {
  const fileName = RESULT_FILE_NAME.replace(/\.csv$/, '.jsonl');
  const headers = { 'Content-Type': JSON_LINES, 'Content-Disposition': `attachment; filename="${fileName}"` };
  if (!isHead) return new Response(ReadableStream.from(toJsonLines(csv)), { headers });
  await csv[Symbol.asyncIterator]().return?.();
  return new Response(null, { headers });
}
