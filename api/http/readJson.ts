/** A JSON body: bytes to an object, and an object to fields that were checked. */
import type { z } from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiContext } from './context.ts';

export const MAX_JSON_BYTES = 1_048_576;

export type JsonObject = Readonly<Record<string, unknown>>;

/** The body as an object. Throws `invalid_request`, or `request_too_large` over `limit`. */
export async function readJson(c: ApiContext, limit = MAX_JSON_BYTES): Promise<JsonObject> {
  refuseEncoded(c);
  const text = decodeUtf8(await collect(c.get('body').chunks(limit, () => tooLarge(limit))));
  if (text.trim() === '') throw new ServiceError('invalid_request', 'The request has no body. Send a JSON object.');
  const value = parse(text);
  if (isObject(value)) return value;
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  throw new ServiceError('invalid_request', `The body is ${found}. Send a JSON object, as in {"job_id": "…"}.`);
}

/** Fields by their schema. Throws `invalid_parameter` naming each wrong field, its rule and the value found. */
export function parseFields<Schema extends z.ZodType>(schema: Schema, body: JsonObject): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => {
    const field = issue.path.map((step, i) => (typeof step === 'number' ? `[${step}]` : (i ? '.' : '') + String(step)));
    return `${field.join('')} ${issue.message}; found ${show(valueAt(body, issue.path))}.`;
  });
  throw new ServiceError('invalid_parameter', [...new Set(lines)].slice(0, 10).join(' '));
}

/** `{ warnings }` where the body has fields that the schema does not know, else nothing. */
export function unknownFields(schema: z.ZodObject, body: JsonObject): { warnings?: string[] } {
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(schema.shape, name));
  return unknown.length > 0 ? { warnings: ignored('field', unknown) } : {};
}

/** A warning for each name, and one for those beyond the first twenty. */
export function ignored(what: 'field' | 'part', names: readonly string[]): string[] {
  const shown = names.slice(0, 20).map((name) => `The ${what} ${show(name)} is not known and was ignored.`);
  return names.length > 20 ? [...shown, `${names.length - 20} more were ignored.`] : shown;
}

/** A value as JSON, cut to a length that a message can carry. */
export function show(value: unknown): string {
  const text = toJson(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Undefined for a value that is no JSON. One nested too deep to be written again is named by its kind. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return Array.isArray(value) ? 'a nested array' : 'a nested object';
  }
}

export function refuseEncoded(c: ApiContext): void {
  const encoding = c.req.header('Content-Encoding');
  if (!encoding || encoding === 'identity') return;
  throw new ServiceError('invalid_request', 'The body is compressed (Content-Encoding). Send it uncompressed.');
}

const tooLarge = (limit: number) =>
  new ServiceError(
    'request_too_large',
    `The body is larger than ${limit} bytes, the most that a JSON request may have.`,
  );

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(ReadableStream.from(chunks)).arrayBuffer());
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ServiceError('invalid_request', 'The body is not UTF-8 text. Send JSON in UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    const where = at ? ` from character ${at} on` : '';
    throw new ServiceError(
      'invalid_request',
      `The body is not JSON${where}. Send a JSON object, as in {"job_id": "…"}.`,
    );
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = body;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
