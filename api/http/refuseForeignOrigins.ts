/**
 * The protocol of assistants asks that no foreign page reaches a server (MCP 2025-11-25, Transports, security warning): a page
 * may call from this machine, from an origin that the operator lists, or from this service's own address over https, where
 * a name that was rebound to another address fails by its certificate.
 */
import type { MiddlewareHandler } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import type { Env } from './context.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const refuseForeignOrigins =
  (listed: readonly string[]): MiddlewareHandler<Env> =>
  (c, next) => {
    const origin = c.req.header('Origin');
    if (origin === undefined || listed.includes('*') || listed.includes(origin)) return next();
    const url = URL.parse(origin);
    const isOwn = url?.protocol === 'https:' && url.host === c.req.header('Host');
    if (isOwn || (url && LOOPBACK.test(url.hostname))) return next();
    throw new ServiceError(
      'origin_refused',
      `A page of ${JSON.stringify(origin.slice(0, 200))} may not call this address. Its operator can list the origin in CORS_ORIGINS; programs send no Origin header.`,
    );
  };
