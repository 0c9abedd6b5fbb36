import { ServiceError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job/job.ts';
import { RESULT_FILE_NAME, resultKey } from '../../domain/job/objectKeys.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { UNKNOWN_IN_PATH } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';

export const download: Route = {
  method: 'get',
  path: '/download/:job_id',
  access: 'key',
  summary: 'The synthetic table',
  description:
    'Raw CSV in UTF-8, in the column order of the upload without the ignored columns. No envelope around it; errors have one.',
  reply: {
    contentType: 'text/csv; charset=utf-8',
    description: 'The file synthetic_data.csv.',
    example: 'species,bill_length,mass\nGentoo,47.1,5050\n',
  },
  refusals: [UNKNOWN_IN_PATH, refusal('no_result', 'The job is not finished, has failed, or its result was erased.')],
  async handle(c) {
    const job = await jobInPath(c);
    if (job.state !== 'done') throw new ServiceError('no_result', whyNoResult(job));
    const result = await c.get('service').objects.get(resultKey(job.id, job.attempt));
    if (!result) throw new ServiceError('no_result', erased(c.get('service').settings.resultRetentionHours));
    const headers = {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${RESULT_FILE_NAME}"`,
      'Content-Length': String(result.bytes),
    };
    if (c.req.method !== 'HEAD') return new Response(ReadableStream.from(result.body), { headers });
    await result.body[Symbol.asyncIterator]().return?.();
    return new Response(null, { headers });
  },
};

function whyNoResult(job: Job): string {
  if (job.state === 'uploaded') return `Job ${job.id} has not been started. Send POST /generate first.`;
  if (job.state === 'failed') {
    return `Job ${job.id} failed (${job.error?.code}): ${job.error?.message} Send POST /generate to start it again.`;
  }
  return `Job ${job.id} is ${job.state}. Ask GET /status/${job.id} until it is done.`;
}

const erased = (hours: number) =>
  `The result has been erased: results are kept for ${hours} hours. Upload the file again for a new job.`;
