import { beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../../api/app.ts';
import type { Peer } from '../../../api/http/context.ts';
import { MAX_WRONG_KEYS, WINDOW_MS } from '../../../api/http/wrongKeys.ts';
import { newJob } from '../../support/jobFixtures.ts';
import { KEY, type MemoryService, memoryService } from '../../support/memoryService.ts';

describe('wrong keys', () => {
  let service: MemoryService;
  let app: ReturnType<typeof createApp>;
  let now: number;
  beforeEach(() => {
    now = Date.parse('2026-11-03T09:00:00Z');
    service = memoryService({ clock: { now: () => new Date(now) } });
    app = createApp(service, { corsOrigins: [] });
  });

  const health = async (key: string, address = '198.51.100.7') => {
    const peer: Peer = { address, hasShownKey: () => undefined };
    const answer = await app.fetch(new Request('http://x/health', { headers: { 'X-API-Key': key } }), { peer });
    return { status: answer.status, retryAfter: answer.headers.get('Retry-After') };
  };

  it('are slowed by address for a while, and a right key never is', async () => {
    for (let i = 0; i < MAX_WRONG_KEYS; i++) expect((await health('wrong')).status).toBe(401);
    now += WINDOW_MS / 2;
    expect(await health('wrong')).toEqual({ status: 429, retryAfter: '30' });
    expect((await health(KEY)).status).toBe(200);
    expect((await health('wrong', '198.51.100.8')).status).toBe(401);
    now += WINDOW_MS / 2;
    expect((await health('wrong')).status).toBe(401);
  });

  it('stand in the log with their address', async () => {
    await health('wrong');
    expect(service.lines.at(-1)).toMatchObject({ event: 'request', fields: { status: 401, address: '198.51.100.7' } });
  });
});

describe('a stream of events', () => {
  it('ends when its key is revoked', async () => {
    const service = memoryService();
    const app = createApp(service, { corsOrigins: [] });
    await service.jobs.create({ ...newJob('a'), keyId: `id-of-${KEY}` });
    const job = await service.jobs.find('a');
    if (job) service.records.set('a', { ...job, state: 'running', attempt: 1 });
    const stream = await app.request('/events/a', { headers: { 'X-API-Key': KEY } });
    const read = stream.text();
    service.keys.verify = async () => undefined;
    expect(await read).toMatch(/^retry: 1000/);
  });
});
