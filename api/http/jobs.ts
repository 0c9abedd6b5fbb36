import { ServiceError } from '../../packages/contract/errors.ts';
import {
  type QueuePlace,
  type StatusReply,
  type UploadReply,
  uploadReplySchema,
} from '../../packages/contract/replies.ts';
import type { JobRequest } from '../../packages/contract/requests.ts';
import { entryText } from '../../packages/words/events.ts';
import { failureReply } from '../../packages/words/problems.ts';
import { type Job, sourceOf } from '../../service/job/job.ts';
import { readObject } from '../../service/job/objectKeys.ts';
import { releaseStateOf } from '../../service/job/release.ts';
import { readUploadReport } from '../../service/job/uploadFile.ts';
import type { Service } from '../../service/service.ts';
import { findJob } from '../../service/service.ts';
import { streamed } from './atWork.ts';
import type { ApiContext } from './context.ts';
import { type JsonObject, show } from './input.ts';
import { succeeded } from './refused.ts';

/** Throws `invalid_job`. */
export async function jobInPath(c: ApiContext): Promise<Job> {
  const job = await findJob(c.get('service'), c.get('keyId'), c.req.param('job_id') ?? '');
  c.set('jobId', job.id);
  return job;
}

// Reports an unknown job before any other fault.

/** Throws `invalid_job`. */
export async function jobInBody(c: ApiContext, body: JsonObject): Promise<Job> {
  const id = Object.hasOwn(body, 'job_id') ? body.job_id : undefined;
  if (typeof id !== 'string' || id === '') {
    throw new ServiceError(
      { reason: 'job_id_missing', found: id === undefined ? null : show(id) },
      { field: 'job_id' },
    );
  }
  const job = await findJob(c.get('service'), c.get('keyId'), id);
  c.set('jobId', job.id);
  return job;
}

export function noResult({ id: job_id, state, error }: Job): ServiceError {
  if (state === 'uploaded') return new ServiceError({ reason: 'job_not_started', job_id });
  if (state === 'failed' && error) return new ServiceError({ reason: 'job_failed', job_id, failure: error });
  return new ServiceError({ reason: 'job_not_done', job_id, state });
}

export const resultErased = (hours: number): ServiceError => new ServiceError({ reason: 'result_erased', hours });

/** Throws `no_result` if the job is not done, or the object was erased or never made. */
export async function finishedObject(c: ApiContext, job: Job, key: string): Promise<Uint8Array> {
  if (job.state !== 'done') throw noResult(job);
  const { objects, settings } = c.get('service');
  const bytes = await readObject(objects, key);
  if (!bytes) throw resultErased(settings.resultRetentionHours);
  return bytes;
}

export async function statusOf(
  { callbacks }: Pick<Service, 'callbacks'>,
  job: Job,
  place?: QueuePlace,
): Promise<StatusReply> {
  const release = releaseStateOf(job);
  const callback = job.attempt > 0 ? await callbacks.find(job.id) : undefined;
  return {
    job_id: job.id,
    status: job.state,
    file_name: job.fileName,
    ...otherJobOf(job),
    ...heldOutOf(job),
    ...(job.request && { request: askedOf(job.request) }),
    ...(place && { queue: place }),
    progress: job.progress.map((entry) => entryText(entry, 'http')),
    events: job.progress,
    ...(job.state === 'done' && job.metrics ? { metrics: job.metrics } : {}),
    ...(release && { release }),
    ...(job.receipt && { input_salt: job.receipt.input_salt }),
    ...(callback?.attempt === job.attempt && {
      callback: {
        state: callback.state,
        tries: callback.tries,
        last_answer: callback.lastAnswer,
        next_try_at: callback.state === 'waiting' && callback.tries > 0 ? callback.dueAt : null,
      },
    }),
    error: errorOf(job),
  };
}

function askedOf({ job_id: _, sample_of: __, compared_with: ___, ...asked }: JobRequest): StatusReply['request'] {
  return asked;
}

export const errorOf = (job: Job): StatusReply['error'] =>
  job.state === 'failed' && job.error
    ? failureReply(job.error, { jobId: job.id, sampleOf: sourceOf(job)?.job_id })
    : null;

export function otherJobOf(job: Job): { sample_of?: string; compared_with?: string } {
  const source = sourceOf(job);
  const real = job.request?.compared_with;
  return { ...(source && { sample_of: source.job_id }), ...(real && { compared_with: real.job_id }) };
}

function heldOutOf({ request }: Job): Pick<StatusReply, 'holdout_job_id'> {
  const id = request?.compared_with?.holdout_job_id ?? null;
  return id === null ? {} : { holdout_job_id: id };
}

// Sends the stored JSON as it is read.

const TAIL = new TextEncoder().encode(',"error":null}');

interface UploadAnswer {
  warnings?: readonly string[];
  status?: 200 | 201;
}

/** Throws `invalid_job` if the upload was erased. */
export async function uploadReply(
  c: ApiContext,
  job: Job,
  { warnings = [], status = 200 }: UploadAnswer = {},
): Promise<Response> {
  const { bytes, body } = await readUploadReport(c.get('service'), job);
  if (warnings.length > 0) return c.json(succeeded(await withWarnings(job.id, body, warnings)), status);
  const head = new TextEncoder().encode(`{"success":true,"data":{"job_id":${JSON.stringify(job.id)},`);
  const length = head.byteLength + bytes - 1 + TAIL.byteLength;
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(length) };
  if (c.req.method === 'HEAD') return new Response(null, { headers });
  return streamed(c, enveloped(head, body), headers, status);
}

/** Throws `idempotency_key_reused` on a repeat whose job was erased. */
export async function answerUpload(c: ApiContext, jobId: string, answer: UploadAnswer): Promise<Response> {
  c.set('jobId', jobId);
  try {
    return await uploadReply(c, await findJob(c.get('service'), c.get('keyId'), jobId), answer);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_job') throw error;
    throw new ServiceError({ reason: 'repeated_upload_erased', job_id: jobId });
  }
}

/** `head` already contains the report's first brace. */
async function* enveloped(head: Uint8Array, report: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  let skip = 1;
  for await (const chunk of report) {
    yield chunk.subarray(skip);
    skip = 0;
  }
  yield TAIL;
}

async function withWarnings(
  job_id: string,
  report: AsyncIterable<Uint8Array>,
  warnings: readonly string[],
): Promise<UploadReply> {
  const found = uploadReplySchema.omit({ job_id: true }).parse(await new Response(ReadableStream.from(report)).json());
  return { job_id, ...found, warnings: [...found.warnings, ...warnings] };
}
