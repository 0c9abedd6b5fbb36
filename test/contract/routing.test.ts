import { describe, expect, it } from 'vitest';
import { useDeployment, verdict } from '../support/contract.ts';

const service = useDeployment();

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const KEYED: [method: string, path: string, allow: string][] = [
  ['GET', '/health', 'GET, HEAD'],
  ['POST', '/upload', 'POST'],
  ['POST', '/detect_family', 'POST'],
  ['POST', '/estimate', 'POST'],
  ['POST', '/generate', 'POST'],
  ['POST', '/sample/some-job', 'POST'],
  ['GET', '/status/some-job', 'GET, HEAD'],
  ['GET', '/events/some-job', 'GET, HEAD'],
  ['GET', '/download/some-job', 'GET, HEAD'],
  ['GET', '/report/some-job', 'GET, HEAD'],
  ['GET', '/report/some-job.json', 'GET, HEAD'],
  ['GET', '/receipt/some-job', 'GET, HEAD'],
  ['POST', '/jobs/some-job/release', 'POST'],
  ['DELETE', '/jobs/some-job', 'DELETE'],
  ['POST', '/jobs/some-job/cancel', 'POST'],
  ['GET', '/jobs/some-job/columns', 'GET, HEAD'],
  ['GET', '/docs', 'GET, HEAD'],
];

describe('routing', () => {
  it.each([
    '/nothing',
    '/Health',
    '/health/',
    '/status',
    '/status/',
    '/status/a/b',
    '/docs/x',
    '//',
    '/.env',
    '/a%00b',
    '/%',
    '/jobs/x/cancel/y',
  ])('answers 404 not_found at %s, whatever the method and without a key', async (path) => {
    for (const method of METHODS) {
      expect(verdict(await service.send(method, path, { key: null })), method).toEqual([404, 'not_found']);
    }
  });

  it.each(KEYED)('asks for a key first: %s %s', async (method, path) => {
    const keys = [
      null,
      '',
      'wrong',
      `${service.key}x`,
      service.key.slice(0, -1),
      service.key.toUpperCase(),
      'ÿ',
      'x'.repeat(9000),
    ];
    for (const key of keys) {
      const reply = await service.send(method, path, { key });
      expect(verdict(reply), `key ${key}`).toEqual([401, 'unauthorized']);
      expect(reply.text).not.toContain(service.key);
    }
  });

  it.each(KEYED)('takes only its own method: %s %s', async (_method, path, allow) => {
    for (const other of METHODS.filter((method) => !allow.includes(method))) {
      const reply = await service.send(other, path);
      expect(verdict(reply), other).toEqual([405, 'method_not_allowed']);
      expect(reply.headers.get('Allow')).toBe(allow);
    }
  });

  it('answers a method that it does not know like any other', async () => {
    expect(verdict(await service.send('PROPFIND', '/nothing', { key: null }))).toEqual([404, 'not_found']);
    expect(verdict(await service.send('PROPFIND', '/health'))).toEqual([405, 'method_not_allowed']);
  });

  it('answers HEAD as GET without the body', async () => {
    const [head, get] = [await service.send('HEAD', '/health'), await service.send('GET', '/health')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'));
    expect((await service.send('HEAD', '/upload')).status).toBe(405);
  });

  it('keeps the client’s request id where it is a plain token, and makes one where not', async () => {
    const idFor = async (id: string) =>
      (await service.send('GET', '/health', { headers: { 'X-Request-Id': id } })).headers.get('X-Request-Id');
    expect(await idFor('abc-123')).toBe('abc-123');
    for (const id of ['a b', 'x'.repeat(200), '{"a":1}']) expect(await idFor(id)).not.toBe(id);
  });

  it('takes headers of 32 KB', async () => {
    const reply = await service.send('GET', '/health', { headers: { 'X-Filler': 'x'.repeat(32_768) } });
    expect(reply.status).toBe(200);
  });

  it('lets no cache keep an answer and no browser guess its type', async () => {
    const { headers } = await service.send('GET', '/health');
    expect([headers.get('Cache-Control'), headers.get('X-Content-Type-Options')]).toEqual(['no-store', 'nosniff']);
  });
});

describe('a JSON body', () => {
  const bodies: [title: string, body: string | Uint8Array<ArrayBuffer> | undefined, status: number, code: string][] = [
    ['nothing', undefined, 400, 'invalid_request'],
    ['no bytes', '', 400, 'invalid_request'],
    ['blanks', ' \n ', 400, 'invalid_request'],
    ['words', 'hello', 400, 'invalid_request'],
    ['half an object', '{"job_id": "x", "target', 400, 'invalid_request'],
    ['two objects', '{}{}', 400, 'invalid_request'],
    ['null', 'null', 400, 'invalid_request'],
    ['a list', '[{"job_id": "x"}]', 400, 'invalid_request'],
    ['a string', '"job"', 400, 'invalid_request'],
    ['a number', '7', 400, 'invalid_request'],
    ['NaN', '{"job_id": NaN}', 400, 'invalid_request'],
    ['Latin-1', Buffer.from('{"job_id":"\xe9"}', 'latin1'), 400, 'invalid_request'],
    ['deep nesting', '['.repeat(300_000) + ']'.repeat(300_000), 400, 'invalid_request'],
    ['an empty object', '{}', 400, 'invalid_job'],
    ['an object behind a byte order mark', '\ufeff{}', 400, 'invalid_job'],
    ['a prototype', '{"__proto__": {"job_id": "x"}}', 400, 'invalid_job'],
    ['a deep job_id', `{"job_id": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400, 'invalid_job'],
    ['1 MB and a byte', `{"job_id": "${'x'.repeat(1_048_576)}"}`, 413, 'request_too_large'],
    ['20 MB', `{"job_id": "${'x'.repeat(20_000_000)}"}`, 413, 'request_too_large'],
  ];

  it.each(['/detect_family', '/estimate', '/generate'])('is checked before anything else at %s', async (path) => {
    const before = await service.traces();
    for (const [title, body, status, code] of bodies) {
      const reply = await service.send('POST', path, body === undefined ? {} : { body });
      expect(verdict(reply), title).toEqual([status, code]);
    }
    expect(await service.traces()).toEqual(before);
  });

  it('is refused compressed', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    const reply = await service.send('POST', '/generate', { body: '{}', headers });
    expect(verdict(reply)).toEqual([400, 'invalid_request']);
  });
});
