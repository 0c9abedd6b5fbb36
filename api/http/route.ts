/** A route says what it is once: the application serves it, and GET /docs describes it, from the same object. */
import type { z } from 'zod';
import { type ErrorCode, HTTP_STATUS } from '../../domain/errors.ts';
import type { ApiContext } from './context.ts';

export interface Refusal {
  status: number;
  code: ErrorCode;
  when: string;
}

/** An answer that the route may give instead of its reply. `status` differs from the code's own only for 404 `invalid_job`. */
export const refusal = (code: ErrorCode, when: string, status: number = HTTP_STATUS[code]): Refusal => ({
  status,
  code,
  when,
});

/** What a request has to carry: a key in X-API-Key; the same or as a bearer token in Authorization; nothing. */
export type Access = 'key' | 'key or bearer' | 'public';

/** JSON where it has a schema, text of another type where it names one, else without a body. */
export interface FurtherAnswer {
  status: number;
  description: string;
  schema?: z.ZodType;
  contentType?: string;
}

export interface Route {
  method: 'get' | 'post' | 'delete';
  /** A pattern of Hono's: '/status/:job_id'. */
  path: string;
  /** What Hono is to match instead, where the parameter is not a whole segment of the path. */
  pattern?: string;
  access: Access;
  summary: string;
  description: string;
  /** Whether a client may name its request by an Idempotency-Key, so as to send it twice: it goes through `answerOnce`. */
  repeatable?: true;
  /** Parameters behind the '?', all optional. */
  query?: z.ZodObject;
  request?: { contentType: string; schema: z.ZodType; example: unknown };
  reply:
    | { contentType: 'application/json'; data: z.ZodType; description: string; example: unknown }
    | { contentType: string; description: string; example?: string };
  /** Further answers that are no refusals of this interface: another protocol's, or none. */
  besides?: readonly FurtherAnswer[];
  /** Beyond those that every route shares (a missing key, a failing disk). */
  refusals: readonly Refusal[];
  handle(c: ApiContext): Response | Promise<Response>;
}
