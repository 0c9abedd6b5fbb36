import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../api/app.ts';
import { HTTP_STATUS } from '../../../api/http/refused.ts';
import { describeRoutes, refusalsOf } from '../../../api/openapi/document.ts';
import { fieldLines } from '../../../api/openapi/fields.ts';
import { startRequestSchema } from '../../../packages/contract/requests.ts';

const document = describeRoutes(ROUTES, '0.1.0');

describe('the OpenAPI document', () => {
  it('describes every route, with names that are its own', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations).toHaveLength(ROUTES.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
  });

  it('gives every refusal of a route under its status, with an example', () => {
    for (const route of ROUTES) {
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      const { responses } = document.paths[path]![route.method]!;
      for (const { status, code } of refusalsOf(route)) {
        const examples = responses[status]?.content['application/json']?.examples;
        expect(examples?.[code]?.value, `${route.method} ${path} ${code}`).toMatchObject({
          success: false,
          error: { code },
        });
      }
    }
  });

  it('gives a code its own status, but for an unknown job in a path', () => {
    const odd = ROUTES.flatMap(refusalsOf).filter(({ code, status }) => HTTP_STATUS[code] !== status);
    expect(new Set(odd.map(({ code, status }) => `${status} ${code}`))).toEqual(new Set(['404 invalid_job']));
  });

  it('names every field of POST /generate with its bounds', () => {
    const body = document.paths['/generate']?.post?.requestBody?.content['application/json']?.schema;
    expect(Object.keys(body?.properties ?? {})).toEqual(Object.keys(startRequestSchema.shape));
    expect(JSON.stringify(body)).toContain('"minimum":100,"maximum":10000');
    expect(body?.required).toEqual(['job_id']);
  });

  it('gives examples that its own schemas accept', () => {
    for (const { path, reply, request } of ROUTES) {
      if ('data' in reply) expect(() => reply.data.parse(reply.example), path).not.toThrow();
      if (request?.contentType === 'application/json')
        expect(() => request.schema.parse(request.example), path).not.toThrow();
    }
  });

  it('gives what a message of assistants may be answered with besides: nothing, and errors of its own protocol', () => {
    const answers = document.paths['/mcp']?.post?.responses;
    expect(answers?.[202]?.content).toEqual({});
    expect(Object.keys(answers?.[200]?.content ?? {})).toEqual(['text/event-stream', 'application/json']);
    expect(answers?.[400]?.content['application/json']?.schema.anyOf).toHaveLength(2);
    expect(answers?.[400]?.content['application/json']?.examples).toHaveProperty('invalid_request');
  });

  it('describes answers without an envelope by what they are', () => {
    const of = (path: string) => Object.values(document.paths[path]?.get?.responses[200]?.content ?? {})[0]?.schema;
    expect(of('/docs')).toEqual({ type: 'object' });
    expect(of('/download/{job_id}')).toEqual({ type: 'string' });
    expect(of('/events/{job_id}')).toEqual({});
  });

  it('says in words what every field of a request, a reply and a query is', () => {
    const untold: string[] = [];
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { requestBody, parameters, responses }] of Object.entries(methods)) {
        const bodies = [...Object.values(requestBody?.content ?? {}), ...Object.values(responses[200]?.content ?? {})];
        const inside = bodies.flatMap(({ schema }) => fieldLines(schema));
        // The envelope is described once, for all answers.
        const fields = inside.filter((line) => !['success', 'data', 'error'].includes(line.path));
        for (const line of fields) if (line.meaning === '') untold.push(`${method} ${path}: ${line.path}`);
        for (const { name, description } of parameters) expect(description, name).not.toBe(name);
      }
    }
    expect(untold, 'add a description to the schema, or a meaning to api/openapi/meanings.ts').toEqual([]);
  });

  it('names the type of every field of POST /generate', () => {
    const body = document.paths['/generate']?.post?.requestBody?.content['application/json']?.schema ?? {};
    const untyped = fieldLines(body).filter(({ type }) => type === 'any');
    expect(untyped.map(({ path }) => path)).toEqual([]);
  });

  it('gives a field in alternatives one line, with the bounds and types of all', () => {
    const number = { type: 'integer', minimum: 1, maximum: 5, description: 'How many.' };
    const schema = {
      properties: {
        a: { anyOf: [number, { type: 'null' }] },
        list: { type: 'array', items: { properties: { b: number } } },
      },
      required: ['a'],
    };
    expect(fieldLines(schema)).toEqual([
      { path: 'a', type: 'integer or null', required: true, bounds: '1 to 5', meaning: 'How many.' },
      { path: 'list', type: 'array', required: false, bounds: '', meaning: '' },
      { path: 'list[].b', type: 'integer', required: false, bounds: '1 to 5', meaning: 'How many.' },
    ]);
  });
});
