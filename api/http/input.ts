import type { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import { type FieldFault, fieldOf, type JsonKind } from '../../packages/contract/problems.ts';
import type { ApiContext } from './context.ts';

const MAX_JSON_BYTES = 1_048_576;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Throws `invalid_request`, or `request_too_large` beyond `limit`. */
export async function readJson(c: ApiContext, limit = MAX_JSON_BYTES): Promise<JsonObject> {
  refuseEncoded(c);
  const text = decodeUtf8(await collect(c.get('body').chunks(limit, () => tooLarge(limit))));
  if (text.trim() === '') throw new ServiceError({ reason: 'body_missing' });
  const value = parse(text);
  if (isObject(value)) return value;
  throw new ServiceError({ reason: 'body_not_object', found: kindOf(value) });
}

function kindOf(value: unknown): JsonKind {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'null';
}

/** Throws `invalid_parameter` with each wrong field, its rule and value. */
export function parseFields<Schema extends z.ZodType>(schema: Schema, body: JsonObject): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => ({
    field: fieldOf(path),
    rule: message,
    found: show(valueAt(body, path)),
  }));
  throw invalidFields('fields_invalid', faults);
}

const MAX_FAULTS = 10;

function invalidFields(reason: 'fields_invalid' | 'query_invalid', found: readonly FieldFault[]): ServiceError {
  const faults = [...new Map(found.map((fault) => [JSON.stringify(fault), fault])).values()].slice(0, MAX_FAULTS);
  const [first] = faults;
  return new ServiceError({ reason, faults }, first ? { field: first.field } : {});
}

export function unknownFields(schema: z.ZodObject, body: JsonObject): { warnings?: string[] } {
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(schema.shape, name));
  return unknown.length > 0 ? { warnings: ignored('field', unknown) } : {};
}

export function ignored(what: 'field' | 'part', names: readonly string[]): string[] {
  const shown = names.slice(0, 20).map((name) => `The ${what} ${show(name)} is not known and was ignored.`);
  return names.length > 20 ? [...shown, `${names.length - 20} more were ignored.`] : shown;
}

export function show(value: unknown): string {
  const text = toJson(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Undefined for values without JSON. */
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
  throw new ServiceError({ reason: 'body_compressed' });
}

const tooLarge = (limit: number) => new ServiceError({ reason: 'body_too_large', max_bytes: limit });

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(ReadableStream.from(chunks)).arrayBuffer());
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ServiceError({ reason: 'body_not_utf8' });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    throw new ServiceError({ reason: 'body_not_json', position: at === undefined ? null : Number(at) });
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

/** Throws `invalid_parameter` with each wrong field; ignores unknown ones. */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, c: ApiContext): z.output<Schema> {
  const parsed = schema.safeParse(c.req.query());
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => ({
    field: path.join('.'),
    rule: message,
    found: null,
  }));
  throw invalidFields('query_invalid', faults);
}
