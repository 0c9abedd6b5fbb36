import type { MiddlewareHandler } from 'hono';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { ApiContext, Env, RequestAtWork } from './context.ts';

/** Default limit of concurrent requests per key. */
export const REQUESTS_PER_KEY = 50;

const RETRY_SECONDS = 1;

/** Delays refusals, which slows clients that ignore Retry-After. */
export const REFUSAL_MS = 500;

/** Ignores `isInner` requests, which the application makes of itself. */
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

/** A streamed request is at work until its last piece, or until the client leaves. */
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

/** Aborts with `client_gone` if the client disconnects before the answer. */
export function goneSignal(c: ApiContext): AbortSignal {
  const gone = new AbortController();
  const { signal } = c.req.raw;
  const onAbort = () => gone.abort(new ServiceError({ reason: 'client_gone' }));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return gone.signal;
}
