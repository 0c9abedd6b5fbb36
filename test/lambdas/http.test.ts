import { PassThrough, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { buffered, type StreamingRuntime, streamed, toRequest } from '../../lambdas/gateway.ts';
import { eventOf } from './support/event.ts';

const answering = (response: Response) => ({ fetch: () => response });

describe('toRequest', () => {
  it('gives the path as it came, whatever is in it', () => {
    for (const path of ['/status/%2F%00', '/a b', '/x?y#z', '//evil.example/a', '/%', '/ä/🦊']) {
      const { pathname, host, search, hash } = new URL(toRequest(eventOf({ path })).url);
      expect([host, search, hash]).toEqual(['service.invalid', '', '']);
      expect(pathname.startsWith('/')).toBe(true);
    }
    expect(new URL(toRequest(eventOf({ path: '/status/abc' })).url).pathname).toBe('/status/abc');
  });

  it('gives every value of a query and of a header', () => {
    const request = toRequest(
      eventOf({
        multiValueQueryStringParameters: { a: ['1', '2'], 'b&c': ['d=e'] },
        multiValueHeaders: { Accept: ['text/html', 'text/csv'], 'X-Name': ['Zoë'] },
      }),
    );
    const { searchParams } = new URL(request.url);
    expect([searchParams.getAll('a'), searchParams.get('b&c')]).toEqual([['1', '2'], 'd=e']);
    expect(request.headers.get('accept')).toBe('text/html, text/csv');
    expect(Buffer.from(request.headers.get('x-name') ?? '', 'latin1').toString()).toBe('Zoë');
  });

  it('leaves out a header that HTTP does not allow, and keeps the rest', () => {
    const { headers } = toRequest(
      eventOf({ multiValueHeaders: { 'bad name': ['x'], 'X-Ok': ['a\nb'], 'X-Key': ['k'] } }),
    );
    expect(Object.fromEntries(headers)).toEqual({ 'x-key': 'k' });
  });

  it('gives a body byte for byte, with the length that it has', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 200]);
    const request = toRequest(
      eventOf({
        httpMethod: 'POST',
        body: bytes.toString('base64'),
        isBase64Encoded: true,
        multiValueHeaders: { 'Content-Length': ['99'] },
      }),
    );
    expect(request.headers.get('content-length')).toBe('5');
    expect(Buffer.from(await request.arrayBuffer())).toEqual(bytes);
  });

  it('takes a body that came as text', async () => {
    expect(await toRequest(eventOf({ httpMethod: 'POST', body: '{"ä":1}' })).text()).toBe('{"ä":1}');
  });

  it.each(['GET', 'HEAD'])('leaves out the body of a %s, which may not have one', (httpMethod) => {
    const request = toRequest(eventOf({ httpMethod, body: 'x', multiValueHeaders: { 'Content-Length': ['1'] } }));
    expect([request.body, request.headers.get('content-length')]).toEqual([null, null]);
  });
});

describe('buffered', () => {
  it('answers text as text and anything else as base64', async () => {
    const text = await buffered(answering(Response.json({ ä: 1 })))(eventOf());
    expect([text.isBase64Encoded, text.body]).toEqual([false, '{"ä":1}']);
    const csv = new Response('a,b\n', { headers: { 'Content-Type': 'text/csv; charset=utf-8' } });
    expect((await buffered(answering(csv))(eventOf())).isBase64Encoded).toBe(false);
    const openApi = { headers: { 'Content-Type': 'application/vnd.oai.openapi+json;version=3.1' } };
    expect((await buffered(answering(new Response('{}', openApi)))(eventOf())).body).toBe('{}');
    const zip = new Response(new Uint8Array([0, 255]), { headers: { 'Content-Type': 'application/zip' } });
    expect(await buffered(answering(zip))(eventOf())).toMatchObject({ isBase64Encoded: true, body: 'AP8=' });
    const packed = { headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' } };
    const gzip = new Response(new Uint8Array([0x1f, 0x8b]), packed);
    expect(await buffered(answering(gzip))(eventOf())).toMatchObject({ isBase64Encoded: true, body: 'H4s=' });
  });

  it('asks for no compressed answer, whatever the client takes', async () => {
    const told = (request: Request) => Response.json(request.headers.get('accept-encoding'));
    const event = eventOf({ multiValueHeaders: { 'Accept-Encoding': ['gzip'] } });
    expect((await buffered({ fetch: told })(event)).body).toBe('null');
  });

  it('passes on status and headers', async () => {
    const response = new Response(null, { status: 429, headers: { 'Retry-After': '5' } });
    expect(await buffered(answering(response))(eventOf())).toEqual({
      statusCode: 429,
      multiValueHeaders: { 'retry-after': ['5'] },
      body: '',
      isBase64Encoded: false,
    });
  });
});

/** The runtime as Lambda has it: a prelude, then the bytes. */
class FakeRuntime implements StreamingRuntime {
  heads: { statusCode: number; headers: Record<string, string> }[] = [];

  streamifyResponse = (handler: Parameters<StreamingRuntime['streamifyResponse']>[0]) => handler;

  HttpResponseStream = {
    from: (stream: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable => {
      this.heads.push(head);
      return stream;
    },
  };
}

function run(response: Response) {
  const runtime = new FakeRuntime();
  const handler = streamed(answering(response), runtime) as Parameters<StreamingRuntime['streamifyResponse']>[0];
  const out = new PassThrough({ highWaterMark: 4 });
  return { runtime, out, done: handler(eventOf(), out) };
}

describe('streamed', () => {
  it('sends head and bytes as they come, however slowly they are taken', async () => {
    const chunks = ['a,b\n', '1,2\n', '3,4\n'].map((text) => Buffer.from(text));
    const { runtime, out, done } = run(new Response(ReadableStream.from(chunks), { headers: { 'X-Request-Id': 'r' } }));
    expect((await buffer(out)).toString()).toBe('a,b\n1,2\n3,4\n');
    await done;
    expect(runtime.heads).toEqual([{ statusCode: 200, headers: { 'x-request-id': 'r' } }]);
  });

  it('sends the head of an answer without a body', async () => {
    const { runtime, out, done } = run(new Response(null, { status: 404 }));
    expect((await buffer(out)).length).toBe(0);
    await done;
    expect(runtime.heads[0]?.statusCode).toBe(404);
  });

  it('neither ends the answer nor adds to it where the body breaks off', async () => {
    async function* broken() {
      yield Buffer.from('a,b\n');
      throw new Error('the connection to the store broke off');
    }
    const { out, done } = run(new Response(ReadableStream.from(broken())));
    const seen: Buffer[] = [];
    out.on('data', (chunk: Buffer) => seen.push(chunk));
    await expect(done).rejects.toThrow('broke off');
    expect([Buffer.concat(seen).toString(), out.writableEnded]).toEqual(['a,b\n', false]);
  });

  it('answers as a whole where the runtime cannot stream', async () => {
    const handler = streamed(answering(new Response('x')), undefined) as ReturnType<typeof buffered>;
    expect((await handler(eventOf())).statusCode).toBe(200);
  });
});
