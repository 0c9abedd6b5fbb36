import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { compressed } from '../../api/http/compressed.ts';
import type { Env } from '../../api/http/context.ts';

const LONG = JSON.stringify({ text: 'all alike '.repeat(500) });

/** A route that answers with `text` as `type`. */
function answering(text: string, type: string, headers: Record<string, string> = {}) {
  const app = new Hono<Env>();
  app.use(compressed);
  const length = String(Buffer.byteLength(text));
  app.get('/', () => new Response(text, { headers: { 'Content-Type': type, 'Content-Length': length, ...headers } }));
  return (accept?: string, method = 'GET') =>
    app.request('/', { method, ...(accept !== undefined && { headers: { 'Accept-Encoding': accept } }) });
}

const facts = ({ headers }: Response) => [
  headers.get('Content-Encoding'),
  headers.get('Vary'),
  headers.get('Content-Length'),
];

describe('compressed', () => {
  it.each(['text/csv; charset=utf-8', 'application/jsonl', 'application/json', 'text/html', 'application/x+json; a=1'])(
    'packs %s for clients that take gzip, and leaves it for others',
    async (type) => {
      const ask = answering(LONG, type);
      const packed = await ask('deflate, GZIP;q=0.5');
      expect(facts(packed)).toEqual(['gzip', 'Accept-Encoding', null]);
      const bytes = Buffer.from(await packed.arrayBuffer());
      expect(bytes.length).toBeLessThan(LONG.length / 10);
      expect(gunzipSync(bytes).toString()).toBe(LONG);
      for (const accept of [undefined, '', 'identity', 'br', 'gzip;q=0', '*;q=0', 'gzip;q=0, *']) {
        const plain = await ask(accept);
        expect(facts(plain), accept).toEqual([null, 'Accept-Encoding', String(LONG.length)]);
        expect(await plain.text()).toBe(LONG);
      }
      expect(facts(await ask('*'))[0]).toBe('gzip');
    },
  );

  it.each(['text/event-stream', 'application/zip', 'application/vnd.apache.parquet'])('leaves %s', async (type) => {
    expect(facts(await answering(LONG, type)('gzip'))).toEqual([null, null, String(LONG.length)]);
  });

  it('leaves an answer that is small, or packed already', async () => {
    const small = await answering('{"a":1}', 'application/json')('gzip');
    expect([facts(small), await small.text()]).toEqual([[null, 'Accept-Encoding', '7'], '{"a":1}']);
    const packed = answering(LONG, 'text/csv', { 'Content-Encoding': 'zstd', Vary: 'Origin' });
    expect(facts(await packed('gzip'))).toEqual(['zstd', 'Origin', String(LONG.length)]);
  });

  it('gives HEAD the headers of the GET', async () => {
    const reply = await answering(LONG, 'text/csv')('gzip', 'HEAD');
    expect([facts(reply), await reply.text()]).toEqual([['gzip', 'Accept-Encoding', null], '']);
  });

  it('breaks off where the table does, so that no part is taken for the whole', async () => {
    const app = new Hono<Env>();
    app.use(compressed);
    async function* broken() {
      yield new TextEncoder().encode('a\n');
      throw new Error('the store broke off');
    }
    app.get('/', () => new Response(ReadableStream.from(broken()), { headers: { 'Content-Type': 'text/csv' } }));
    const reply = await app.request('/', { headers: { 'Accept-Encoding': 'gzip' } });
    await expect(reply.arrayBuffer()).rejects.toThrow('broke off');
  });

  it('goes on for others of a key where a client has gone in the middle of its answer', async () => {
    const app = new Hono<Env>();
    app.use(async (c, next) => {
      c.set('keyId', 'one');
      await next();
    });
    app.use(compressed);
    async function* endless() {
      for (;;) yield randomBytes(65_536);
    }
    app.get(
      '/endless',
      () => new Response(ReadableStream.from(endless()), { headers: { 'Content-Type': 'text/csv' } }),
    );
    app.get('/', () => new Response(LONG, { headers: { 'Content-Type': 'text/csv' } }));
    const ask = (path: string) => app.request(path, { headers: { 'Accept-Encoding': 'gzip' } });
    for (let i = 0; i < 4; i++) {
      const reader = (await ask('/endless')).body?.getReader();
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
      void reader?.read().catch(() => undefined);
      await reader?.cancel();
    }
    expect(gunzipSync(Buffer.from(await (await ask('/')).arrayBuffer())).toString()).toBe(LONG);
  });
});
