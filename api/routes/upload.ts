import { createHash } from 'node:crypto';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import { ENCODINGS, type Encoding, UPLOAD } from '../../packages/contract/files.ts';
import type { Case } from '../../packages/contract/problems.ts';
import { uploadReplySchema } from '../../packages/contract/replies.ts';
import { encodingSchema } from '../../packages/contract/requests.ts';
import { UPLOAD_ENDINGS, UPLOAD_SIZE } from '../../packages/words/files.ts';
import { withCommas } from '../../packages/words/wording.ts';
import { fileTooLarge, uploadFile } from '../../service/job/uploadFile.ts';
import type { RequestBody } from '../http/context.ts';
import { digestOfParts, idempotent } from '../http/idempotent.ts';

import { ignored, parseFields, refuseEncoded, show } from '../http/input.ts';
import { answerUpload } from '../http/jobs.ts';

import { type Route, refusal, STORAGE_FULL } from '../http/route.ts';
import { uploadExample } from '../openapi/examples.ts';

// For the description; the body is read as a stream.

const uploadBodySchema = z.object({
  file: z.file().meta({ description: `The table: ${UPLOAD_ENDINGS}, at most ${UPLOAD_SIZE}.` }),
  encoding: encodingSchema.optional().meta({
    description: `The encoding of a text file that is neither UTF-8 nor marked as UTF-16: ${ENCODINGS.join(', ')}, or another name of one of them. An \`encoding_error\` says which it probably is. \`utf-8-windows-1252\` is UTF-8 in which other bytes are Windows-1252.`,
  }),
});

export const upload: Route = {
  method: 'post',
  path: '/upload',
  access: 'key',
  repeatable: true,
  needs: ['find job', 'take upload'],
  summary: 'Upload a table and detect its columns',
  description: `Takes one file, ${UPLOAD_ENDINGS}, of at most ${UPLOAD_SIZE} (${withCommas(UPLOAD.maxBytes)} bytes). Answers with a new job, the type of every column, and warnings about the data. \`preview\` has the first rows, \`suggested_target\` the column to take as the target, and why. \`profile\` has the evidence and a suggested role for each column, and the relations between columns.`,
  request: { contentType: 'multipart/form-data', schema: uploadBodySchema, example: { file: 'table.csv' } },
  reply: {
    contentType: 'application/json',
    data: uploadReplySchema,
    description: 'The new job and its columns.',
    example: uploadExample,
  },
  refusals: [
    refusal('missing_file', 'The request is not multipart/form-data or has no part named "file".'),
    refusal('invalid_request', 'The multipart body is malformed or incomplete, or has more than one file.'),
    refusal('invalid_parameter', 'The encoding is none that is known.'),
    refusal('unsupported_file_type', `The file is not a ${UPLOAD_ENDINGS} table.`),
    refusal('empty_file', 'The file has no bytes.'),
    refusal('no_data_rows', 'The file has a header but no data rows.'),
    refusal(
      'encoding_error',
      'The text does not decode; the message says where, and in which encoding it probably is.',
    ),
    refusal('parse_error', 'The rows do not form a table; the message says where.'),
    refusal('file_too_large', `The file is larger than ${UPLOAD_SIZE}.`),
    refusal('quota_exceeded', 'The key has as many jobs, or bytes of uploads, as the operator allows it.'),
    STORAGE_FULL,
  ],
  async handle(c) {
    refuseEncoded(c);
    const service = c.get('service');
    const received = await receiveUpload(c.get('body'), c.req.header('Content-Type'), service.settings.maxUploadBytes);
    const { bytes, digest } = digestUpload(received);
    const encoding = () => received.given.encoding;
    return idempotent<KeptUpload>(c, {
      digest,
      async work(settle) {
        const keptOf = (job_id: string): KeptUpload => ({ job_id, warnings: ignored('part', received.ignoredParts) });
        const file = { name: received.name, bytes, encoding };
        const { job } = await uploadFile(service, c.get('keyId'), file, (jobId) => settle(keptOf(jobId)));
        return keptOf(job.id);
      },
      kept: keptSchema,
      answer: ({ job_id, warnings }) => answerUpload(c, job_id, { warnings }),
    });
  },
};

/** The rest of the answer is stored with the job. */
const keptSchema = z.object({ job_id: z.string(), warnings: z.array(z.string()) });
type KeptUpload = z.infer<typeof keptSchema>;

// Digests content and file name, since boundaries differ between tries.

interface DigestedUpload {
  bytes: AsyncIterable<Uint8Array>;
  digest(): Promise<string>;
}

function digestUpload({ name, bytes, given }: Pick<ReceivedUpload, 'name' | 'bytes' | 'given'>): DigestedUpload {
  const hash = createHash('sha256');
  let digest: string | undefined;
  async function* passing(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const passed = passing();
  return {
    bytes: passed,
    async digest() {
      for await (const _ of passed);
      digest ??= digestOfParts(['/upload', name, hash.digest('hex'), ...(given.encoding ? [given.encoding] : [])]);
      return digest;
    },
  };
}

/** Allowance for boundaries, part headers and other fields. */
const ENVELOPE_BYTES = 1_048_576;
const MAX_NAME_LENGTH = 255;

interface ReceivedUpload {
  /** Without folders and control characters. */
  name: string;
  /** Throws until the whole body was read and is well formed, with one file. */
  bytes: AsyncGenerator<Uint8Array>;
  /** Complete after `bytes`. */
  ignoredParts: string[];
  /** Complete after `bytes`. */
  given: GivenFields;
}

interface GivenFields {
  encoding?: Encoding;
}

/** Throws `missing_file`, `invalid_request`, or `file_too_large` by the announced length. */
export async function receiveUpload(
  body: RequestBody,
  contentType: string | undefined,
  maxFileBytes: number,
): Promise<ReceivedUpload> {
  if (body.ended) throw new ServiceError({ reason: 'upload_body_missing' });
  if (!contentType || !/^multipart\/form-data\b/i.test(contentType)) {
    throw new ServiceError({
      reason: 'upload_not_multipart',
      content_type: contentType === undefined ? null : show(contentType),
    });
  }
  const tooLarge = () => fileTooLarge(maxFileBytes);
  const events = readMultipart(body.chunks(maxFileBytes + ENVELOPE_BYTES, tooLarge), contentType);
  const ignoredParts: string[] = [];
  const given: GivenFields = {};
  const onField: OnField = ({ part, value }) => {
    if (part === 'encoding')
      Object.assign(given, parseFields(uploadBodySchema.pick({ encoding: true }), { encoding: value }));
    else ignoredParts.push(part);
  };
  const name = await findFile(events, onField, ignoredParts);
  return { name, bytes: fileBytes(events, onField), ignoredParts, given };
}

type OnField = (field: Extract<MultipartEvent, { kind: 'field' }>) => void;

async function findFile(
  events: AsyncGenerator<MultipartEvent>,
  onField: OnField,
  ignoredParts: readonly string[],
): Promise<string> {
  for (;;) {
    const next = await events.next();
    if (next.done) throw new ServiceError(withoutFile(ignoredParts));
    const event = next.value;
    if (event.kind === 'field') onField(event);
    if (event.kind !== 'file') continue;
    if (event.part === 'file' && event.fileName !== '') return tidy(event.fileName);
    throw new ServiceError(wrongFile(event));
  }
}

async function* fileBytes(events: AsyncGenerator<MultipartEvent>, onField: OnField): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    if (event.kind === 'bytes') yield event.bytes;
    else if (event.kind === 'field') onField(event);
    else throw new ServiceError({ reason: 'several_files' });
  }
}

function withoutFile(
  parts: readonly string[],
): Case<'upload_without_parts' | 'upload_part_without_name' | 'upload_without_file'> {
  if (parts.length === 0) return { reason: 'upload_without_parts' };
  if (parts.includes('file')) return { reason: 'upload_part_without_name' };
  return { reason: 'upload_without_file', parts: parts.slice(0, 5).map(show) };
}

const wrongFile = (event: { part: string }): Case<'upload_file_not_chosen' | 'upload_file_in_other_part'> =>
  event.part === 'file'
    ? { reason: 'upload_file_not_chosen' }
    : { reason: 'upload_file_in_other_part', part: show(event.part) };

function tidy(fileName: string): string {
  const printable = fileName.replace(/\p{Cc}/gu, '').toWellFormed();
  return printable.length <= MAX_NAME_LENGTH ? printable : printable.slice(-MAX_NAME_LENGTH).toWellFormed();
}

// Pulls: reads nothing before the consumer asks.

type MultipartEvent =
  | { kind: 'file'; part: string; fileName: string }
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'field'; part: string; value: string };

const LIMITS = { fields: 20, parts: 30, fieldSize: 65_536, headerPairs: 50 };

/** Throws `invalid_request` for a malformed or interrupted body. */
async function* readMultipart(chunks: AsyncIterable<Uint8Array>, contentType: string): AsyncGenerator<MultipartEvent> {
  const events: MultipartEvent[] = [];
  const parser = createParser(contentType, events);
  const ended = outcome(parser);
  for await (const chunk of chunks) {
    await Promise.race([write(parser, chunk), ended]);
    yield* events.splice(0);
  }
  parser.end();
  const failure = await ended;
  yield* events.splice(0);
  if (failure) throw malformed(failure);
}

function createParser(contentType: string, events: MultipartEvent[]): BusboyInstance {
  try {
    const parser = new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
    parser.on('field', (part, value) => events.push({ kind: 'field', part: part ?? '', value: value ?? '' }));
    parser.on('file', (part, stream, fileName) => {
      events.push({ kind: 'file', part: part ?? '', fileName: fileName ?? '' });
      stream.on('data', (bytes: Uint8Array) => events.push({ kind: 'bytes', bytes }));
      // The parser reports the error.
      stream.on('error', () => undefined);
    });
    return parser;
  } catch (cause) {
    throw malformed(cause);
  }
}

const outcome = (parser: BusboyInstance): Promise<unknown> =>
  new Promise((resolve) => {
    parser.once('finish', () => resolve(undefined));
    parser.on('error', (error) => resolve(error ?? new Error('malformed')));
  });

const write = (parser: BusboyInstance, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    parser.write(chunk, () => resolve());
  });

const malformed = (cause: unknown) => new ServiceError({ reason: 'multipart_malformed' }, { cause });
