/** Cross-origin access for the origins that the operator lists; '*' lists all. None listed: no header is sent. */
import type { MiddlewareHandler } from 'hono';
import type { Env } from './context.ts';

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE',
  'Access-Control-Allow-Headers':
    'X-API-Key, Authorization, Content-Type, X-Request-Id, Idempotency-Key, MCP-Protocol-Version',
  'Access-Control-Max-Age': '86400',
};
const EXPOSED = 'X-Request-Id, Retry-After, Allow, Content-Disposition, Content-Length, Idempotent-Replayed';

export const cors =
  (origins: readonly string[]): MiddlewareHandler<Env> =>
  async (c, next) => {
    const origin = c.req.header('Origin');
    const allowed = origins.includes('*') ? '*' : origins.find((listed) => listed === origin);
    const isPreflight = c.req.method === 'OPTIONS' && origin && c.req.header('Access-Control-Request-Method');
    if (isPreflight && allowed) c.res = new Response(null, { status: 204, headers: PREFLIGHT });
    else await next();
    if (origins.length > 0 && allowed !== '*') c.res.headers.append('Vary', 'Origin');
    if (!allowed) return;
    c.res.headers.set('Access-Control-Allow-Origin', allowed);
    c.res.headers.set('Access-Control-Expose-Headers', EXPOSED);
  };
