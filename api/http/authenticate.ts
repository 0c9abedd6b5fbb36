/** Lets a request pass that carries a valid key, and remembers whose it is. */
import type { MiddlewareHandler, Next } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiContext, Env } from './context.ts';

export const authenticate: MiddlewareHandler<Env> = (c, next) => admit(c, c.req.header('X-API-Key'), next);

/** The same where the key may come as a bearer token: assistants often know no other header. */
export const authenticateBearer: MiddlewareHandler<Env> = (c, next) =>
  admit(c, c.req.header('X-API-Key') ?? bearerOf(c.req.header('Authorization')), next);

const bearerOf = (header: string | undefined): string | undefined => /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];

async function admit(c: ApiContext, key: string | undefined, next: Next): Promise<void> {
  if (!key) throw new ServiceError('unauthorized', 'Send your API key in the header X-API-Key; this request has none.');
  const record = await c.get('service').keys.verify(key);
  if (!record) {
    throw new ServiceError(
      'unauthorized',
      'The key in X-API-Key is not valid or was revoked. Ask the operator for a new one.',
    );
  }
  c.set('keyId', record.id);
  c.set('key', key);
  await next();
}
