/** Requests that are being answered, counted by key: one key may have so many at work at a time. */
import type { MiddlewareHandler } from 'hono';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { ApiContext, Env, RequestAtWork } from './context.ts';

/** Requests of one key that may be at work at a time, where the operator says nothing. */
export const REQUESTS_PER_KEY = 50;

/** Seconds after which a key with too many requests at work should ask again. */
const RETRY_SECONDS = 1;

/** How long such a refusal is held back: who asks on all the same, asks no more often than so. */
export const REFUSAL_MS = 500;

/** Of those that a request makes of this application itself, `isInner`, none counts: the request counts once. */
export function boundRequests(max: number, isInner: (request: Request) => boolean): MiddlewareHandler<Env> {
  const atWork = new Map<string, number>();
  return async (c, next) => {
    if (isInner(c.req.raw)) return next();
    const keyId = c.get('keyId');
    const count = atWork.get(keyId) ?? 0;
    if (count >= max) {
      await new Promise((resolve) => setTimeout(resolve, REFUSAL_MS));
      throw new ServiceError({ reason: 'too_many_requests', max, seconds: RETRY_SECONDS });
    }
    atWork.set(keyId, count + 1);
    const work = requestAtWork(() => {
      const left = (atWork.get(keyId) ?? 1) - 1;
      if (left > 0) atWork.set(keyId, left);
      else atWork.delete(keyId);
    });
    c.set('work', work);
    await next();
    if (!work.isStreaming || c.req.method === 'HEAD') work.end();
  };
}

function requestAtWork(onEnd: () => void): RequestAtWork {
  let ended = false;
  return {
    isStreaming: false,
    end() {
      if (ended) return;
      ended = true;
      onEnd();
    },
  };
}

/** An answer that is sent piece by piece: its request is at work until the last piece is sent, or the client has gone. */
export function streamed(
  c: ApiContext,
  body: AsyncIterable<Uint8Array>,
  headers: Record<string, string>,
  status = 200,
): Response {
  const work = c.get('work');
  if (work) {
    work.isStreaming = true;
    const { signal } = c.req.raw;
    signal.addEventListener('abort', work.end, { once: true });
    if (signal.aborted) work.end();
  }
  const pieces = body[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await pieces.next();
          if (!next.done) return controller.enqueue(next.value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        work?.end();
      },
      async cancel() {
        work?.end();
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { status, headers });
}

/** Aborts, with `client_gone`, where the client closes the connection before it is answered. */
export function goneSignal(c: ApiContext): AbortSignal {
  const gone = new AbortController();
  const { signal } = c.req.raw;
  const onAbort = () => gone.abort(new ServiceError({ reason: 'client_gone' }));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return gone.signal;
}
