/**
 * Answers at once even where the body was not read to its end (a wrong key, a file over the limit), and reads the rest
 * while the answer is on its way: a client that sends everything before it listens would otherwise see a broken
 * connection in place of the answer.
 */
import type { MiddlewareHandler } from 'hono';
import type { Env } from './context.ts';
import { RequestBody } from './requestBody.ts';

export const answerFirst: MiddlewareHandler<Env> = async (c, next) => {
  const body = new RequestBody(c.req.raw);
  c.set('body', body);
  await next();
  if (body.ended) return;
  const answer = new Uint8Array(await c.res.arrayBuffer());
  const headers = new Headers(c.res.headers);
  headers.set('Content-Length', String(answer.byteLength));
  const { status } = c.res;
  c.res = undefined;
  c.res = new Response(keptOpen(answer, body.discardRest()), { status, headers });
};

/** The bytes at once; the end of the stream when `until` resolves. */
function keptOpen(bytes: Uint8Array, until: Promise<void>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes);
      await until;
      controller.close();
    },
  });
}
