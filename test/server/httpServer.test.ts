import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../api/app.ts';
import { failureEnvelope } from '../../packages/contract/replies.ts';
import { DEFAULT_CONNECTIONS } from '../../server/connections.ts';
import { closeGracefully, createHttpServer, listen, urlOf } from '../../server/httpServer.ts';
import { KEY, memoryService } from '../support/memoryService.ts';
import { BOUNDARY, filePart, MULTIPART, multipart } from '../support/multipart.ts';
import { exchange, type RawReply, rawClient } from '../support/rawHttp.ts';

const LIMIT = 1_000_000;
const service = memoryService({}, LIMIT);
let server: Server;
let url = '';
beforeAll(async () => {
  server = createHttpServer(createApp(service, { corsOrigins: [] }), service.log);
  await listen(server, '127.0.0.1', 0);
  url = urlOf(server, '127.0.0.1');
});
afterAll(() => closeGracefully(server));

/** Status and code of an answer that must be in the envelope and must have a request id. */
function refusalIn(reply: RawReply): [status: number, code: string] {
  expect(reply.headers['content-type'], reply.body).toMatch(/^application\/json/);
  expect(reply.headers['x-request-id']).toMatch(/./);
  return [reply.status, failureEnvelope.strict().parse(JSON.parse(reply.body)).error.code];
}

const head = (line: string, ...headers: string[]) => `${[line, ...headers].join('\r\n')}\r\n\r\n`;
const KEYED = [`Host: x`, `X-API-Key: ${KEY}`];

describe('the server', () => {
  it('lets more connections wait than it takes: a burst of others delays no new one by a second', async () => {
    const other = createHttpServer(createApp(service, { corsOrigins: [] }), service.log);
    const listening = vi.spyOn(other, 'listen');
    await listen(other, '127.0.0.1', 0);
    await closeGracefully(other);
    const [options] = z.tuple([z.object({ backlog: z.int() })]).parse(listening.mock.calls[0]);
    expect(options.backlog).toBeGreaterThan(2 * DEFAULT_CONNECTIONS.max);
  });

  it.each<[title: string, request: string, status: number, code: string]>([
    ['no HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['an unknown method', head('FOO / HTTP/1.1', 'Host: x'), 400, 'invalid_request'],
    ['a method in lower case', head('get / HTTP/1.1', 'Host: x'), 400, 'invalid_request'],
    ['an unknown version', head('GET / HTTP/9.9', 'Host: x'), 400, 'invalid_request'],
    ['a bad header', head('GET / HTTP/1.1', 'Host: x', 'bad header'), 400, 'invalid_request'],
    ['a bad Host', head('GET / HTTP/1.1', 'Host: a b/c'), 400, 'invalid_request'],
    ['a bad absolute address', head('GET http://[/ HTTP/1.1', 'Host: x'), 400, 'invalid_request'],
    ['no Host and no key', head('GET /health HTTP/1.1'), 401, 'unauthorized'],
    ['an unknown expectation', head('GET /health HTTP/1.1', 'Host: x', 'Expect: much'), 401, 'unauthorized'],
    ['CONNECT', head('CONNECT example.org:443 HTTP/1.1', 'Host: x'), 405, 'method_not_allowed'],
    ['TRACE', head('TRACE /health HTTP/1.1', ...KEYED), 405, 'method_not_allowed'],
    ['an upgrade', head('GET /x HTTP/1.1', 'Host: x', 'Connection: upgrade', 'Upgrade: websocket'), 404, 'not_found'],
    [
      'two lengths',
      head('POST /generate HTTP/1.1', ...KEYED, 'Content-Length: 2', 'Content-Length: 3'),
      400,
      'invalid_request',
    ],
    [
      'a length and chunks',
      head('POST /generate HTTP/1.1', ...KEYED, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
      400,
      'invalid_request',
    ],
    [
      'a bad chunk',
      `${head('POST /generate HTTP/1.1', ...KEYED, 'Transfer-Encoding: chunked')}zz\r\n`,
      400,
      'invalid_request',
    ],
    [
      'headers of 70 KB',
      head('GET /health HTTP/1.1', ...KEYED, `X-Filler: ${'x'.repeat(70_000)}`),
      431,
      'headers_too_large',
    ],
    [
      '5,000 headers',
      head('GET /x HTTP/1.1', ...Array.from({ length: 5000 }, (_, i) => `A${i}: b`)),
      431,
      'headers_too_large',
    ],
  ])('answers %s in the envelope', async (_title, request, status, code) => {
    expect(refusalIn(await exchange(url, request))).toEqual([status, code]);
  });

  it.each([
    ['32 KB in one', [`X-Filler: ${'x'.repeat(32_768)}`]],
    ['32 KB in many', Array.from({ length: 950 }, (_, i) => `X-Filler-${i}: ${'x'.repeat(20)}`)],
  ])('takes headers of %s', async (_title, fillers) => {
    expect((await exchange(url, head('GET /health HTTP/1.1', ...KEYED, ...fillers))).status).toBe(200);
  });

  it('keeps an idle connection for longer than the load balancer does, which would send into a closed one', async () => {
    const reply = await fetch(url);
    await reply.arrayBuffer();
    const seconds = Number(/timeout=(\d+)/.exec(reply.headers.get('Keep-Alive') ?? '')?.[1]);
    expect(seconds).toBeGreaterThan(180);
  });

  it.each(['close', 'keep-alive'])(
    'is heard by a client that sends all before it reads (Connection: %s)',
    async (connection) => {
      const json = Buffer.from(`{"job_id": "${'x'.repeat(20_000_000)}"}`);
      const form = multipart([filePart(new Uint8Array(20_000_000).fill(97))]);
      const cases: [path: string, key: string, contentType: string, body: Uint8Array, code: string][] = [
        ['/generate', KEY, 'application/json', json, 'request_too_large'],
        ['/upload', KEY, MULTIPART, form, 'file_too_large'],
        ['/upload', 'wrong', MULTIPART, form, 'unauthorized'],
        ['/nothing', KEY, MULTIPART, form, 'not_found'],
        ['/health', KEY, MULTIPART, form, 'method_not_allowed'],
      ];
      for (const [path, key, contentType, body, code] of cases) {
        for (const framing of ['length', 'chunks']) {
          const size = framing === 'length' ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked';
          const start = head(
            `POST ${path} HTTP/1.1`,
            'Host: x',
            `X-API-Key: ${key}`,
            `Content-Type: ${contentType}`,
            size,
            `Connection: ${connection}`,
          );
          const chunked = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')];
          const bytes = Buffer.concat([Buffer.from(start), ...(framing === 'length' ? [body] : chunked)]);
          expect(refusalIn(await exchange(url, bytes))[1], `${path} by ${framing}`).toBe(code);
        }
      }
      expect([service.files.size, service.records.size]).toEqual([0, 0]);
    },
  );

  it.each([
    ['announced', (LIMIT * 10).toString(), 'file_too_large'],
    ['not announced', undefined, 'file_too_large'],
  ])('answers at once to a file whose size over the limit is %s', async (_title, length, code) => {
    const client = rawClient(url);
    const size = length ? `Content-Length: ${length}` : 'Transfer-Encoding: chunked';
    await client.send(head('POST /upload HTTP/1.1', ...KEYED, `Content-Type: ${MULTIPART}`, size));
    if (!length) {
      const start = multipart([filePart(new Uint8Array(LIMIT + 1).fill(97))], '');
      await client.send(Buffer.concat([Buffer.from(`${start.length.toString(16)}\r\n`), start, Buffer.from('\r\n')]));
    }
    expect(refusalIn(await client.reply())).toEqual([413, code]);
    client.socket.destroy();
  });

  it('answers the next request on the connection after a refused one', async () => {
    const client = rawClient(url);
    const body = 'x'.repeat(3_000_000);
    await client.send(head('POST /generate HTTP/1.1', ...KEYED, `Content-Length: ${body.length}`) + body);
    expect((await client.reply()).status).toBe(413);
    let rest = '';
    client.socket.on('data', (chunk) => {
      rest += String(chunk);
    });
    await client.send(head('GET /health HTTP/1.1', ...KEYED, 'Connection: close'));
    await new Promise((resolve) => client.socket.once('end', resolve));
    expect(rest).toMatch(/^HTTP\/1\.1 200 /);
    client.socket.destroy();
  });

  it.each([
    ['/generate', 'application/json', '{"job_id": "x'],
    [
      '/upload',
      MULTIPART,
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\na,b\n1,`,
    ],
  ])('answers a body cut off in the middle at %s, and keeps nothing', async (path, type, start) => {
    const request = head(`POST ${path} HTTP/1.1`, ...KEYED, `Content-Type: ${type}`, 'Content-Length: 5000') + start;
    expect(refusalIn(await exchange(url, request, { halfClose: true }))).toEqual([400, 'invalid_request']);
    const gone = rawClient(url);
    await gone.send(request);
    gone.socket.destroy();
    await expect
      .poll(() => service.lines.filter(({ fields }) => fields.route === path && fields.status === 400).length)
      .toBeGreaterThan(0);
    expect([service.files.size, service.records.size]).toEqual([0, 0]);
  });
});
