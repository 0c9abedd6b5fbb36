/** Lets a request pass that carries a valid key, and remembers whose it is. */
import type { MiddlewareHandler } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import type { Env } from './context.ts';

export const authenticate: MiddlewareHandler<Env> = async (c, next) => {
  const key = c.req.header('X-API-Key');
  if (!key) throw new ServiceError('unauthorized', 'Send your API key in the header X-API-Key; this request has none.');
  const record = await c.get('service').keys.verify(key);
  if (!record) {
    throw new ServiceError(
      'unauthorized',
      'The key in X-API-Key is not valid or was revoked. Ask the operator for a new one.',
    );
  }
  c.set('keyId', record.id);
  await next();
};
