import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useDeployment, verdict } from '../support/contract.ts';

const service = useDeployment();

const documentSchema = z.object({
  openapi: z.string().regex(/^3\.1\./),
  info: z.object({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) }))),
});

describe('GET /docs', () => {
  it('is OpenAPI 3.1 and describes every endpoint of the specification', async () => {
    const reply = await service.send('GET', '/docs');
    const { paths } = documentSchema.parse(JSON.parse(reply.text));
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described).toEqual(
      expect.arrayContaining([
        'GET /health',
        'POST /upload',
        'POST /detect_family',
        'POST /generate',
        'GET /status/{job_id}',
        'GET /download/{job_id}',
        'GET /docs',
      ]),
    );
    expect(Object.keys(paths['/generate']?.post?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '409', '429']),
    );
  });
});

describe('the pages', () => {
  it.each([
    ['/', 'POST /generate'],
    ['/api-docs', 'capacity_exceeded'],
    ['/mcp', 'X-API-Key: YOUR_KEY'],
  ])('%s is readable without a key, loads nothing, and runs only what its policy names', async (path, said) => {
    const reply = await service.send('GET', path, { key: null });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const policy = reply.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(policy).not.toContain('unsafe');
    expect(reply.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(reply.text).toContain(said);
    const inside = [...reply.text.matchAll(/<(script|style)>(.*?)<\/\1>/gs)].map(([, kind, text = '']) => ({
      kind,
      text,
    }));
    for (const { kind, text } of inside) {
      const hash = createHash('sha256').update(text).digest('base64');
      expect(policy).toContain(`${kind}-src 'sha256-${hash}'`);
    }
    const outside = reply.text
      .replace(/<script>.*?<\/script>/gs, '')
      .replace(/<script type="application\/json".*?<\/script>/gs, '');
    expect(outside).not.toMatch(/<script|src=|@import|url\(|style="|href="(?![/#]|data:,)/);
    expect(gzipSync(reply.text).byteLength).toBeLessThan(200_000);
  });

  it('/mcp has no event stream', async () => {
    const reply = await service.send('GET', '/mcp', { key: null, headers: { Accept: 'text/event-stream' } });
    expect(verdict(reply)).toEqual([405, 'method_not_allowed']);
    expect(reply.headers.has('Allow')).toBe(true);
  });

  it('/mcp/download gives a bundle, or says that there is none', async () => {
    const reply = await service.send('GET', '/mcp/download', { key: null });
    if (reply.status === 404) expect(verdict(reply)).toEqual([404, 'not_found']);
    else expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'application/zip']);
  });
});
