/** A multipart body as a sequence of events, pulled: nothing is read from the client before the consumer asks for it. */
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { ServiceError } from '../../domain/errors.ts';

export type MultipartEvent =
  /** A file part begins; its bytes follow. `fileName` is a base name and may be empty. */
  | { kind: 'file'; part: string; fileName: string }
  | { kind: 'bytes'; bytes: Uint8Array }
  /** A part without a file name. */
  | { kind: 'field'; part: string };

const LIMITS = { fields: 20, parts: 30, fieldSize: 65_536, headerPairs: 50 };

/** Throws `invalid_request` where the body is not well formed or breaks off. */
export async function* readMultipart(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<MultipartEvent> {
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
    parser.on('field', (part) => events.push({ kind: 'field', part: part ?? '' }));
    parser.on('file', (part, stream, fileName) => {
      events.push({ kind: 'file', part: part ?? '', fileName: fileName ?? '' });
      stream.on('data', (bytes: Uint8Array) => events.push({ kind: 'bytes', bytes }));
      // A part that breaks off reports here too; the parser's own error is the one that is told.
      stream.on('error', () => undefined);
    });
    return parser;
  } catch (cause) {
    throw malformed(cause);
  }
}

/** Undefined when the whole body was well formed, else what was wrong. */
const outcome = (parser: BusboyInstance): Promise<unknown> =>
  new Promise((resolve) => {
    parser.once('finish', () => resolve(undefined));
    parser.on('error', (error) => resolve(error ?? new Error('malformed')));
  });

const write = (parser: BusboyInstance, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    parser.write(chunk, () => resolve());
  });

const malformed = (cause: unknown) =>
  new ServiceError(
    'invalid_request',
    'The multipart body is not well formed: it has no boundary, or breaks off before the closing one. Send the upload again, and let your HTTP library write the Content-Type header.',
    { cause },
  );
