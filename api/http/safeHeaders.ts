/** Headers that keep browsers from guessing types and caches from keeping a client's data. */
import type { MiddlewareHandler } from 'hono';
import type { Env } from './context.ts';

export const safeHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  c.res.headers.set('X-Content-Type-Options', 'nosniff');
  c.res.headers.set('Cache-Control', 'no-store');
};
