/** Gives every request an id, the client's own where it is a plain token, and says it in `X-Request-Id`. */
import type { MiddlewareHandler } from 'hono';
import type { Log } from '../../domain/ports.ts';
import type { Service } from '../../domain/service.ts';
import type { Env } from './context.ts';

const PLAIN_TOKEN = /^[A-Za-z0-9._-]{1,128}$/;

export const requestId =
  (service: Service): MiddlewareHandler<Env> =>
  async (c, next) => {
    const sent = c.req.header('X-Request-Id');
    const id = sent && PLAIN_TOKEN.test(sent) ? sent : service.newId();
    c.set('requestId', id);
    c.set('service', { ...service, log: withRequestId(service.log, id) });
    await next();
    c.res.headers.set('X-Request-Id', id);
  };

const withRequestId = (log: Log, id: string): Log => ({
  info: (event, fields) => log.info(event, { request_id: id, ...fields }),
  error: (event, fields) => log.error(event, { request_id: id, ...fields }),
});
