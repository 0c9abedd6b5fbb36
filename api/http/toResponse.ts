/** Any thrown thing as an answer in the envelope. What was not foreseen is logged and told to the client without details. */
import { describeFault } from '../../domain/describeFault.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiContext } from './context.ts';
import { failed } from './envelope.ts';

export function toResponse(error: unknown, c: ApiContext): Response {
  const known = error instanceof ServiceError ? error : unforeseen(error, c);
  if (known.status >= 500)
    c.get('service').log.error('request_failed', { code: known.code, ...describeFault(known.cause) });
  return new Response(JSON.stringify(failed(known.code, known.message)), {
    status: known.status,
    headers: { ...known.headers, 'Content-Type': 'application/json' },
  });
}

function unforeseen(cause: unknown, c: ApiContext): ServiceError {
  const message = `Something went wrong in the service, not in your request. Try again; if it persists, tell the operator the request id ${c.get('requestId')}.`;
  return new ServiceError('internal_error', message, { cause });
}
