/** What stands behind the '?' of an address, checked. */
import type { z } from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiContext } from './context.ts';

/** Throws `invalid_parameter` naming every field that is out of bounds. Unknown ones are ignored. */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, c: ApiContext): z.output<Schema> {
  const parsed = schema.safeParse(c.req.query());
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new ServiceError('invalid_parameter', `${found.join('; ')}. GET /api-docs lists what may stand behind the ?.`);
}
