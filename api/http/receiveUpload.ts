/** The one file of an upload, as its bytes come. */
import { ServiceError } from '../../domain/errors.ts';
import { fileTooLarge } from '../../domain/job/uploadFile.ts';
import { type MultipartEvent, readMultipart } from './multipart.ts';
import { show } from './readJson.ts';
import type { RequestBody } from './requestBody.ts';

/** What boundaries, part headers and further fields may add to the file's own bytes. */
const ENVELOPE_BYTES = 1_048_576;
const MAX_NAME_LENGTH = 255;
const HOW_TO = 'Send multipart/form-data with the table in a part named "file", as curl -F file=@table.csv does.';

export interface ReceivedUpload {
  /** Base name as the client gave it: no folder, no control characters. */
  name: string;
  /** Ends only when the whole body was read and is well formed, with no second file: until then it may throw. */
  bytes: AsyncGenerator<Uint8Array>;
  /** Names of parts that were ignored; complete when `bytes` has ended. */
  ignoredParts: string[];
}

/** Throws `missing_file`, `invalid_request`, or `file_too_large` where the body is over `maxFileBytes` by announcement. */
export async function receiveUpload(
  body: RequestBody,
  contentType: string | undefined,
  maxFileBytes: number,
): Promise<ReceivedUpload> {
  if (body.ended) throw new ServiceError('missing_file', `The request has no body. ${HOW_TO}`);
  if (!contentType || !/^multipart\/form-data\b/i.test(contentType)) {
    throw new ServiceError('missing_file', `The Content-Type is ${show(contentType)}. ${HOW_TO}`);
  }
  const tooLarge = () => fileTooLarge(maxFileBytes);
  const events = readMultipart(body.chunks(maxFileBytes + ENVELOPE_BYTES, tooLarge), contentType);
  const ignoredParts: string[] = [];
  const name = await findFile(events, ignoredParts);
  return { name, bytes: fileBytes(events, ignoredParts), ignoredParts };
}

async function findFile(events: AsyncGenerator<MultipartEvent>, ignoredParts: string[]): Promise<string> {
  for (;;) {
    const next = await events.next();
    if (next.done) throw new ServiceError('missing_file', `${withoutFile(ignoredParts)} ${HOW_TO}`);
    const event = next.value;
    if (event.kind === 'field') ignoredParts.push(event.part);
    if (event.kind !== 'file') continue;
    if (event.part === 'file' && event.fileName !== '') return tidy(event.fileName);
    throw new ServiceError('missing_file', `${wrongFile(event)} ${HOW_TO}`);
  }
}

async function* fileBytes(events: AsyncGenerator<MultipartEvent>, ignoredParts: string[]): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    if (event.kind === 'bytes') yield event.bytes;
    else if (event.kind === 'field') ignoredParts.push(event.part);
    else
      throw new ServiceError('invalid_request', `The request has more than one file. ${HOW_TO} One table a request.`);
  }
}

function withoutFile(parts: readonly string[]): string {
  if (parts.length === 0) return 'The body has no part.';
  if (parts.includes('file')) return 'The part "file" has no file name, so it is not a file.';
  return `The body has no file; found ${parts.slice(0, 5).map(show).join(', ')}.`;
}

const wrongFile = (event: { part: string; fileName: string }): string =>
  event.part === 'file'
    ? 'The part "file" has an empty file name, as a form sends it when no file was chosen.'
    : `The file came in a part named ${show(event.part)}.`;

function tidy(fileName: string): string {
  const printable = fileName.replace(/\p{Cc}/gu, '').toWellFormed();
  return printable.length <= MAX_NAME_LENGTH ? printable : printable.slice(-MAX_NAME_LENGTH).toWellFormed();
}
