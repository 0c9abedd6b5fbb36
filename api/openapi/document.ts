import { z } from 'zod';
import { type ErrorCode, REFUSALS } from '../../packages/contract/reasons.ts';
import { failureEnvelope, successEnvelope } from '../../packages/contract/replies.ts';
import { errorSchema } from '../../packages/contract/states.ts';
import { IDEMPOTENCY_KEY } from '../../service/ports.ts';
import { IDEMPOTENCY_HEADER } from '../http/idempotent.ts';
import { ASKS_BACK, succeeded } from '../http/refused.ts';
import {
  type Access,
  EVERYWHERE,
  type FurtherAnswer,
  REPEATABLE,
  type Refusal,
  type Route,
  WITH_KEY,
} from '../http/route.ts';
import { withMeanings } from './fields.ts';
import type { Answer, Content, JsonSchema, OpenApiDocument, Operation } from './openApi.ts';

/** Describes the routes in OpenAPI 3.1, in their order. */
export function describeRoutes(routes: readonly Route[], version: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Synthetic tables',
      version,
      description:
        'Upload a table, give each column a role, start a job, poll it, and download the synthetic table. Every JSON answer is an envelope {success, data, error}; every answer has the header X-Request-Id. A path that does not exist is answered with 404 not_found, a method that is not listed with 405 method_not_allowed.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
    paths,
  };
}

const SECURITY: Record<Access, Record<string, never[]>[]> = {
  key: [{ key: [] }],
  'key or bearer': [{ key: [] }, { bearer: [] }],
  public: [],
};

export const refusalsOf = (route: Route): Refusal[] => [
  ...route.refusals,
  ...(route.repeatable ? REPEATABLE.filter(({ code }) => route.refusals.every((own) => own.code !== code)) : []),
  ...(route.access === 'public' ? [] : WITH_KEY),
  ...EVERYWHERE,
];

function operationOf(route: Route): Operation {
  const { request } = route;
  return {
    operationId: `${route.method}${route.path.replace(/[/:_-]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: route.summary,
    description: route.description,
    security: SECURITY[route.access],
    parameters: [
      ...pathParameters(route.path),
      ...queryParameters(route.query),
      ...(route.repeatable ? [IDEMPOTENCY_PARAMETER] : []),
    ],
    ...(request && {
      requestBody: {
        required: true,
        content: {
          [request.contentType]: {
            schema: withMeanings(toJsonSchema(request.schema, 'input')),
            example: request.example,
          },
        },
      },
    }),
    responses: withBesides({ ...successOf(route), ...refusalsByStatus(refusalsOf(route)) }, route.besides ?? []),
  };
}

const pathParameters = (path: string): Operation['parameters'] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: 'The job id that POST /upload returned.',
    schema: { type: 'string' },
  }));

const queryParameters = (query: Route['query']): Operation['parameters'] =>
  Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = toJsonSchema(schema, 'input');
    return { name, in: 'query', required: false, description: String(description ?? name), schema: rest };
  });

const IDEMPOTENCY_PARAMETER: Operation['parameters'][number] = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description:
    'A random name for this request, such as a UUID. If the same request is sent again with it within 24 hours, the first answer is repeated and nothing is done twice.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source, maxLength: 200 },
};

function successOf({ reply }: Route): Record<string, Answer> {
  const headers = { 'X-Request-Id': { description: 'Names this request in the log.', schema: { type: 'string' } } };
  const content: Content =
    'data' in reply
      ? { schema: withMeanings(toJsonSchema(successEnvelope(reply.data), 'output')), example: succeeded(reply.example) }
      : {
          schema: bareSchema(reply.contentType),
          ...(reply.example !== undefined && { example: reply.example }),
        };
  const status = 'data' in reply ? (reply.status ?? 200) : 200;
  return { [status]: { description: reply.description, headers, content: { [reply.contentType]: content } } };
}

/** A stream of events has no schema, since tools would apply it to each event. */
function bareSchema(contentType: string): JsonSchema {
  if (contentType.startsWith('text/event-stream')) return {};
  return { type: /^application\/(.+\+)?json\b/.test(contentType) ? 'object' : 'string' };
}

function withBesides(answers: Record<string, Answer>, besides: readonly FurtherAnswer[]): Record<string, Answer> {
  const all = { ...answers };
  for (const further of besides) {
    const known = all[further.status] ?? { description: '', content: {} };
    const description = [known.description, further.description].filter((text) => text !== '').join('\n\n');
    all[further.status] = { ...known, description, content: { ...known.content, ...contentOf(further, known) } };
  }
  return all;
}

function contentOf({ schema, contentType }: FurtherAnswer, known: Answer): Answer['content'] {
  if (contentType !== undefined) return { [contentType]: { schema: { type: 'string' } } };
  if (!schema) return {};
  const own = withMeanings(toJsonSchema(schema, 'output'));
  const json = known.content['application/json'];
  return { 'application/json': json ? { ...json, schema: { anyOf: [json.schema, own] } } : { schema: own } };
}

function refusalsByStatus(refusals: readonly Refusal[]): Record<string, Answer> {
  const statuses = [...new Set(refusals.map(({ status }) => status))];
  return Object.fromEntries(
    statuses.map((status) => [status, refusedAnswer(refusals.filter((refusal) => refusal.status === status))]),
  );
}

function refusedAnswer(refusals: readonly Refusal[]): Answer {
  const retryAfter = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
  return {
    description: refusals.map(({ code, when }) => `\`${code}\`: ${when}`).join('\n\n'),
    ...(refusals.some(({ code }) => ASKS_BACK.has(code)) && { headers: retryAfter }),
    content: {
      'application/json': {
        schema: failureSchema(refusals.map(({ code }) => code)),
        examples: Object.fromEntries(
          refusals.map(({ code, when }) => [code, { summary: when, value: exampleOf(code, when) }]),
        ),
      },
    },
  };
}

const exampleOf = (code: ErrorCode, message: string) => {
  const [reason = ''] = Object.keys(REFUSALS[code]);
  return { success: false, data: null, error: { message, code, params: { reason } } };
};

const failureSchema = (codes: string[]) =>
  toJsonSchema(failureEnvelope.extend({ error: errorSchema.extend({ code: z.enum(codes) }) }), 'output');

/** Allows further fields, since replies may gain some. */
function toJsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (io === 'output' && def.type === 'pipe' && def.out._zod.def.type === 'transform') {
        Object.assign(jsonSchema, toJsonSchema(def.in, 'input'));
      }
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  const { $defs: _, ...described } = rest;
  return withoutReferences(described);
}

/** Any JSON value refers to itself, and such a reference breaks in a larger document. */
function withoutReferences(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (_, value: unknown) => (isAnyJson(value) ? {} : value));
  return openApiSchema.parse(JSON.parse(text));
}

const openApiSchema = z.record(z.string(), z.unknown());

const isAnyJson = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  '$ref' in value &&
  /^#(\/\$defs\/__schema\d+)?/.test(String(value.$ref));
