import type { MiddlewareHandler } from 'hono';
import { parseAccept } from 'hono/utils/accept';
import { FairPermits } from '../../service/fairPermits.ts';
import type { Env } from './context.ts';

/** Pieces compressed at once, in all and per key: the two pool threads also read files. */
const PIECES = new FairPermits(2, 1);

/** Types of answers made while they are sent; below, of answers in memory. */
const STREAMED = /^(text\/csv|application\/jsonl)\b/;
const WHOLE = /^(text\/html|application\/(.+\+)?json)\b/;

/** About one packet; smaller answers are not sent sooner. */
const MIN_BYTES = 1400;

/**
 * Must run inside `answerFirst`, which needs the final answer. Skips types that do not shrink (Parquet, workbooks, zip)
 * or must come line by line (events).
 */
export const compressed: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  const { headers } = c.res;
  const type = headers.get('Content-Type') ?? '';
  const isStreamed = STREAMED.test(type);
  if ((!isStreamed && !WHOLE.test(type)) || headers.has('Content-Encoding')) return;
  headers.append('Vary', 'Accept-Encoding');
  if (!takesGzip(c.req.header('Accept-Encoding'))) return;
  if (!isStreamed && c.req.method === 'HEAD') return;
  const owner = c.get('keyId') ?? '';
  const length = Number(headers.get('Content-Length') ?? 0);
  const answer =
    isStreamed || length >= MIN_BYTES ? encoded(c.res, c.res.body, owner) : await compressedWhole(c.res, owner);
  // Hono would otherwise merge the old headers into the new answer.
  c.res = undefined;
  c.res = answer;
};

async function compressedWhole(answer: Response, owner: string): Promise<Response> {
  const bytes = await answer.arrayBuffer();
  const { status, headers } = answer;
  if (bytes.byteLength < MIN_BYTES) return new Response(bytes.byteLength > 0 ? bytes : null, { status, headers });
  return encoded(answer, new Blob([bytes]).stream(), owner);
}

function encoded(
  { status, headers: given }: Response,
  plain: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  owner: string,
): Response {
  const headers = new Headers(given);
  headers.delete('Content-Length');
  headers.set('Content-Encoding', 'gzip');
  return new Response(plain?.pipeThrough(gzip(owner)) ?? null, { status, headers });
}

/** An owner's pieces take turns across answers; a slow client holds no turn. */
function gzip(owner: string): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array> {
  const { readable, writable } = new CompressionStream('gzip');
  const writer = writable.getWriter();
  const made: Uint8Array[] = [];
  const collected = collect(readable, made);
  collected.catch(() => undefined);
  const give = (controller: TransformStreamDefaultController<Uint8Array>) => {
    for (const bytes of made.splice(0)) controller.enqueue(bytes);
  };
  return new TransformStream({
    async transform(piece, controller) {
      await PIECES.run(owner, () => writer.write(piece));
      give(controller);
    },
    async flush(controller) {
      await writer.close();
      await collected;
      give(controller);
    },
  });
}

async function collect(readable: ReadableStream<Uint8Array>, into: Uint8Array[]): Promise<void> {
  for await (const bytes of readable) into.push(bytes);
}

/** RFC 9110, 12.5.3. */
function takesGzip(header: string | undefined): boolean {
  const weights = new Map(parseAccept(header ?? '').map(({ type, q }) => [type.toLowerCase(), q]));
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}
