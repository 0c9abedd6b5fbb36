/** One line a request: the route's pattern, not the address, since a client may put anything into an address. */
import type { MiddlewareHandler } from 'hono';
import type { Env } from './context.ts';

export const logRequest: MiddlewareHandler<Env> = async (c, next) => {
  const start = performance.now();
  await next();
  c.get('service').log.info('request', {
    method: c.req.method.slice(0, 16),
    route: c.get('route') ?? null,
    job_id: c.get('jobId') ?? null,
    key_id: c.get('keyId') ?? null,
    status: c.res.status,
    ms: Math.round((performance.now() - start) * 10) / 10,
  });
};
