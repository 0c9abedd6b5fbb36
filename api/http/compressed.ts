/** gzip for clients that take it: tables as they are sent, and JSON and pages that are large enough to be worth it. */
import type { MiddlewareHandler } from 'hono';
import { parseAccept } from 'hono/utils/accept';
import type { Env } from './context.ts';

/** Answers of unknown length, made as they are sent; and those that are in memory as a whole. */
const STREAMED = /^(text\/csv|application\/jsonl)\b/;
const WHOLE = /^(text\/html|application\/(.+\+)?json)\b/;

/** About what goes in one packet: less is not sent any sooner for being small. */
const MIN_BYTES = 1400;

/**
 * Stands below `answerFirst`, which needs to know what the answer is in the end. A HEAD has the headers of the GET. What
 * cannot be made smaller (Parquet, workbooks, zip) or has to come line by line (events) is left as it is.
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
  const answer = isStreamed ? encoded(c.res, c.res.body) : await compressedWhole(c.res);
  // Hono would put the headers of the answer before into the one behind.
  c.res = undefined;
  c.res = answer;
};

async function compressedWhole(answer: Response): Promise<Response> {
  const bytes = await answer.arrayBuffer();
  const { status, headers } = answer;
  if (bytes.byteLength < MIN_BYTES) return new Response(bytes.byteLength > 0 ? bytes : null, { status, headers });
  return encoded(answer, new Blob([bytes]).stream());
}

/** The length is not known before the end. */
function encoded(
  { status, headers: given }: Response,
  plain: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Response {
  const headers = new Headers(given);
  headers.delete('Content-Length');
  headers.set('Content-Encoding', 'gzip');
  return new Response(plain?.pipeThrough(new CompressionStream('gzip')) ?? null, { status, headers });
}

/** RFC 9110, 12.5.3. Where a client says nothing, it gets the bytes themselves. */
function takesGzip(header: string | undefined): boolean {
  const weights = new Map(parseAccept(header ?? '').map(({ type, q }) => [type.toLowerCase(), q]));
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}
