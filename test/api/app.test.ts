import { describe, expect, it } from 'vitest';
import { createApp } from '../../api/app.ts';
import { statusExample } from '../../api/openapi/examples.ts';
import { ServiceError } from '../../packages/contract/errors.ts';
import { jobMetricsSchema } from '../../packages/contract/metrics.ts';
import { generateReplySchema, jobsReplySchema, successEnvelope } from '../../packages/contract/replies.ts';
import { tableRequestSchema } from '../../packages/contract/requests.ts';
import { RECEIPT } from '../support/jobFixtures.ts';
import { KEY, type MemoryService, memoryService, OTHER_KEY } from '../support/memoryService.ts';
import { filePart, MULTIPART, multipart } from '../support/multipart.ts';

function clientOf(service: MemoryService, corsOrigins: string[] = []) {
  const app = createApp(service, { corsOrigins });
  const send = (method: string, path: string, init: RequestInit = {}) =>
    app.request(path, { method, ...init, headers: { 'X-API-Key': KEY, ...init.headers } });
  const post = (path: string, body: unknown) => send('POST', path, { body: JSON.stringify(body) });
  const upload = (content = 'x,c\n1,a\n') =>
    send('POST', '/upload', { body: multipart([filePart(content)]), headers: { 'Content-Type': MULTIPART } });
  const uploaded = async (): Promise<string> =>
    ((await (await upload()).json()) as { data: { job_id: string } }).data.job_id;
  return { send, post, upload, uploaded };
}

const codeOf = async (reply: Response) => ((await reply.json()) as { error: { code: string } | null }).error?.code;
const failWith = (error: unknown) => async () => Promise.reject(error);

describe('createApp', () => {
  it('tells a client nothing of an unforeseen fault, and the log everything but its message', async () => {
    const service = memoryService();
    const secret = new TypeError('cell "Jane Roe" at /srv/data/x');
    service.jobs.counts = failWith(secret);
    const reply = await clientOf(service).send('GET', '/health', { headers: { 'X-Request-Id': 'abc-1' } });
    const text = await reply.text();
    expect(reply.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ success: false, data: null, error: { code: 'internal_error' } });
    expect(text).toContain('abc-1');
    expect(text + JSON.stringify(service.lines)).not.toMatch(/Jane|srv/);
    expect(service.lines).toContainEqual({
      level: 'error',
      event: 'request_failed',
      fields: expect.objectContaining({ request_id: 'abc-1', fault: 'TypeError', at: expect.stringContaining('at ') }),
    });
  });

  it.each([
    ['storage_full', 507, 'disk_full'],
    ['storage_unavailable', 503, 'data_folder_unavailable'],
  ] as const)('answers an upload that meets %s with %i, keeping nothing', async (code, status, reason) => {
    const service = memoryService();
    service.jobs.create = failWith(new ServiceError({ reason }));
    const reply = await clientOf(service).upload();
    expect([reply.status, await codeOf(reply)]).toEqual([status, code]);
    expect([service.files.size, service.records.size]).toEqual([0, 0]);
  });

  it.each([
    [undefined, [], 200],
    ['http://localhost:5173', [], 200],
    ['http://[::1]', [], 200],
    ['https://tables.example', [], 200],
    ['http://tables.example', [], 403],
    ['https://evil.example', [], 403],
    ['null', [], 403],
    ['https://localhost.evil.example', [], 403],
    ['https://evil.example', ['https://evil.example'], 200],
    ['https://evil.example', ['*'], 200],
  ])('answers an assistant of the origin %s, where %j are listed, with %i', async (origin, listed, status) => {
    const headers = { Host: 'tables.example', ...(origin && { Origin: origin }) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const reply = await clientOf(memoryService(), listed).send('POST', '/mcp', { headers, body });
    expect(reply.status).toBe(status);
    if (status === 403) expect(await codeOf(reply)).toBe('origin_refused');
  });

  it('keeps nothing of a file over the limit, or of one that breaks off', async () => {
    const service = memoryService({}, 5000);
    const { send, upload } = clientOf(service);
    const tooLarge = await upload('x'.repeat(5001));
    expect([tooLarge.status, await codeOf(tooLarge)]).toEqual([413, 'file_too_large']);
    const whole = multipart([filePart('x\n1\n'.repeat(1000))]);
    const body = whole.subarray(0, 2000);
    const brokenOff = await send('POST', '/upload', { body, headers: { 'Content-Type': MULTIPART } });
    expect([brokenOff.status, await codeOf(brokenOff)]).toEqual([400, 'invalid_request']);
    expect([service.files.size, service.records.size]).toEqual([0, 0]);
  });

  it('takes a file of exactly the limit', async () => {
    expect((await clientOf(memoryService({}, 5000)).upload('x'.repeat(5000))).status).toBe(200);
  });

  it('gives a column called __proto__ its type, like any other', async () => {
    const text = await (await clientOf(memoryService()).upload()).text();
    expect(text).toContain('"__proto__":"categorical"');
  });

  it('hides a job from every other key', async () => {
    const service = memoryService();
    const { send, post, uploaded } = clientOf(service);
    const id = await uploaded();
    const headers = { 'X-API-Key': OTHER_KEY };
    const paths: [method: string, path: string][] = [
      ['GET', `/status/${id}`],
      ['GET', `/download/${id}`],
      ['DELETE', `/jobs/${id}`],
      ['POST', `/jobs/${id}/cancel`],
    ];
    for (const [method, path] of paths) {
      const reply = await send(method, path, { headers });
      expect([reply.status, await codeOf(reply)], path).toEqual([404, 'invalid_job']);
    }
    const body = JSON.stringify({ job_id: id, text_cols: ['t'] });
    expect((await send('POST', '/generate', { headers, body })).status).toBe(400);
    expect((await post('/generate', { job_id: id, text_cols: ['t'] })).status).toBe(200);
  });

  it('streams a result with its length and name, and gives HEAD the same headers without it', async () => {
    const service = memoryService();
    const { send, post, uploaded } = clientOf(service);
    const id = await uploaded();
    await post('/generate', { job_id: id, text_cols: ['t'] });
    await service.objects.put(`jobs/${id}/attempt-1/synthetic_data.csv`, Buffer.from('t\na b\n'));
    await service.jobs.run(id, 1);
    expect(await codeOf(await send('GET', `/download/${id}`))).toBe('no_result');
    await service.jobs.finish(id, 1, jobMetricsSchema.parse(statusExample.metrics), RECEIPT, '2026-11-03T09:20:00Z');
    for (const method of ['GET', 'HEAD']) {
      const reply = await send(method, `/download/${id}`);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'content-type': 'text/csv; charset=utf-8',
        'content-length': '6',
        'content-disposition': 'attachment; filename="synthetic_data.csv"',
      });
      expect(await reply.text()).toBe(method === 'GET' ? 't\na b\n' : '');
    }
    expect((await (await send('GET', `/status/${id}`)).json()) as object).toMatchObject({
      data: { status: 'done', metrics: statusExample.metrics, error: null },
    });
  });

  it('sends a client to the store for a result that is too large to be streamed, if the store gives out links', async () => {
    const service = memoryService();
    const { send, post, uploaded } = clientOf(service);
    const id = await uploaded();
    await post('/generate', { job_id: id, text_cols: ['t'] });
    await service.jobs.run(id, 1);
    await service.jobs.finish(id, 1, jobMetricsSchema.parse(statusExample.metrics), RECEIPT, '2026-11-03T09:20:00Z');
    const large = { bytes: 200_000_001, body: (async function* () {})() };
    service.objects.get = async () => large;
    expect((await send('GET', `/download/${id}`)).status).toBe(200);
    service.objects.link = async (key, { fileName }) => `https://files.example/${key}?as=${fileName}`;
    const reply = await send('GET', `/download/${id}`);
    expect([reply.status, reply.headers.get('Location')]).toEqual([
      302,
      `https://files.example/jobs/${id}/attempt-1/synthetic_data.csv?as=synthetic_data.csv`,
    ]);
    expect((await send('HEAD', `/download/${id}`)).headers.get('content-length')).toBe('200000001');
  });

  it('shows metrics and error only in the states that have them', async () => {
    const service = memoryService();
    const { send, post, uploaded } = clientOf(service);
    const id = await uploaded();
    const shown = async () => ((await (await send('GET', `/status/${id}`)).json()) as { data: object }).data;
    expect(await shown()).toEqual({
      job_id: id,
      status: 'uploaded',
      file_name: 'table.csv',
      progress: [],
      events: [],
      error: null,
    });
    await post('/generate', { job_id: id, target_col: 'x' });
    const asked = tableRequestSchema.parse({ target_col: 'x', seed: service.records.get(id)?.request?.seed });
    const started = {
      status: 'started',
      file_name: 'table.csv',
      request: asked,
      progress: [],
      events: [],
      error: null,
    };
    expect(await shown()).toEqual({ job_id: id, ...started });
    await service.jobs.fail(
      id,
      1,
      { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } },
      '2026-11-03T09:20:00Z',
    );
    expect(await shown()).toMatchObject({
      status: 'failed',
      error: { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } },
    });
    expect(await (await send('GET', `/download/${id}`)).text()).toContain(
      'failed (crashed). The process of the job ended unexpectedly (code 1).',
    );
  });

  it('shows a job that waits with its place, in the list, and as an event', async () => {
    const service = memoryService();
    Object.assign(service.settings, { maxRunningJobs: 1 });
    const { send, post, uploaded } = clientOf(service);
    const ids = [await uploaded(), await uploaded()];
    const asked = ids.map(async (job_id) => (await post('/generate', { job_id, target_col: 'x', queue: true })).json());
    const answers = (await Promise.all(asked)).map((reply) => successEnvelope(generateReplySchema).parse(reply).data);
    expect(answers.map(({ status }) => status).sort()).toEqual(['queued', 'started']);
    const [waiting] = (await service.jobs.line()).jobs;
    const status = await (await send('GET', `/status/${waiting?.jobId}`)).json();
    expect(status).toMatchObject({ data: { status: 'queued', progress: [], queue: { position: 1 } } });
    const listed = successEnvelope(jobsReplySchema).parse(await (await send('GET', '/jobs')).json()).data;
    expect(listed.jobs.map((job) => job.status).sort()).toEqual(['queued', 'started']);
    const stream = (await send('GET', `/events/${waiting?.jobId}`)).body?.getReader();
    const texts = [await stream?.read(), await stream?.read()].map((read) => new TextDecoder().decode(read?.value));
    expect(texts[1]).toMatch(/^event: queue\ndata: \{"position":1,"seconds":\d+\}\n\n$/);
    await stream?.cancel();
  });

  it('logs one line a request, with the route for an address and never a key or a query', async () => {
    const service = memoryService();
    const { send, uploaded } = clientOf(service);
    const id = await uploaded();
    service.lines.length = 0;
    await send('GET', `/status/${id}?name=Jane`, { headers: { 'X-Request-Id': 'line-1' } });
    await send('GET', '/Jane', { headers: { 'X-Request-Id': 'Jane Roe' } });
    expect(service.lines.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({
        request_id: 'line-1',
        method: 'GET',
        route: '/status/:job_id',
        job_id: id,
        status: 200,
      }),
      expect.objectContaining({ method: 'GET', route: null, job_id: null, status: 404 }),
    ]);
    expect(JSON.stringify(service.lines)).not.toMatch(new RegExp(`Jane|"${KEY}"`));
  });

  it('binds the request id to what the rules log', async () => {
    const service = memoryService();
    await clientOf(service).send('POST', '/upload', {
      body: multipart([filePart('x')]),
      headers: { 'Content-Type': MULTIPART, 'X-Request-Id': 'up-1' },
    });
    expect(service.lines.map(({ event, fields }) => [event, fields.request_id])).toEqual([
      ['job_uploaded', 'up-1'],
      ['request', 'up-1'],
    ]);
  });
});

describe('cross-origin requests', () => {
  const page = 'https://page.example';
  const preflight = { Origin: page, 'Access-Control-Request-Method': 'POST', 'X-API-Key': '' };

  it.each<[listed: string[], allowed: string | null]>([
    [[page], page],
    [['*'], '*'],
    [['https://other.example'], null],
    [[], null],
  ])('with %j listed, allow %s', async (listed, allowed) => {
    const { send } = clientOf(memoryService(), listed);
    const answer = await send('OPTIONS', '/generate', { headers: preflight });
    expect(answer.status).toBe(allowed ? 204 : 401);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(allowed);
    expect(answer.headers.get('Access-Control-Allow-Headers')?.includes('X-API-Key') ?? false).toBe(allowed !== null);
    const refused = await send('GET', '/health', { headers: { Origin: page, 'X-API-Key': 'wrong' } });
    expect([refused.status, refused.headers.get('Access-Control-Allow-Origin')]).toEqual([401, allowed]);
  });
});
