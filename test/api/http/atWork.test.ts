import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp } from '../../../api/app.ts';
import { REFUSAL_MS } from '../../../api/http/atWork.ts';
import { resultKey } from '../../../service/job/objectKeys.ts';
import { METRICS, newJob } from '../../support/jobFixtures.ts';
import { KEY, type MemoryService, memoryService, OTHER_KEY } from '../../support/memoryService.ts';

const LIMIT = 2;

describe('requests at work', () => {
  let service: MemoryService;
  let app: ReturnType<typeof createApp>;
  beforeEach(async () => {
    service = memoryService();
    app = createApp(service, { corsOrigins: [], requestsPerKey: LIMIT });
    await service.jobs.create({ ...newJob('a'), keyId: `id-of-${KEY}` });
    const job = await service.jobs.find('a');
    if (job) service.records.set('a', { ...job, state: 'done', attempt: 1, metrics: METRICS });
    await service.objects.put(resultKey('a', 1), new TextEncoder().encode('x\n1\n'));
  });

  const send = (path: string, key = KEY, init: RequestInit = {}) =>
    app.request(path, { ...init, headers: { 'X-API-Key': key, ...init.headers } });
  const health = async (key = KEY) => (await send('/health', key)).status;

  it('of one key are bounded, those whose answer nobody reads among them; another key has its own', async () => {
    const unread = [await send('/download/a'), await send('/download/a')];
    const refused = await send('/health');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toBe('1');
    expect(await refused.json()).toMatchObject({
      error: { code: 'too_many_requests', params: { reason: 'too_many_requests', max: LIMIT } },
    });
    expect(await health(OTHER_KEY)).toBe(200);
    expect(await unread[0]?.text()).toBe('x\n1\n');
    expect(await health()).toBe(200);
    await unread[1]?.body?.cancel();
  });

  it('beyond the bound are refused after a pause, in which others are answered', async () => {
    const unread = [await send('/download/a'), await send('/download/a')];
    vi.useFakeTimers();
    try {
      let isAnswered = false;
      const refused = Promise.resolve(send('/health')).finally(() => {
        isAnswered = true;
      });
      expect(await health(OTHER_KEY)).toBe(200);
      await vi.advanceTimersByTimeAsync(REFUSAL_MS - 1);
      expect(isAnswered).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect((await refused).status).toBe(429);
    } finally {
      vi.useRealTimers();
    }
    for (const answer of unread) await answer.body?.cancel();
  });

  it('end with what is answered, refused, or asked by HEAD, and where the client goes', async () => {
    for (let i = 0; i < 2 * LIMIT; i++) {
      expect((await send('/download/a', KEY, { method: 'HEAD' })).status).toBe(200);
      expect((await send('/status/b')).status).toBe(404);
      expect((await send('/download/a?format=xlsx', KEY, { method: 'HEAD' })).status).toBe(200);
      expect((await (await send('/download/a?format=jsonl')).text()).length).toBeGreaterThan(0);
      const gone = new AbortController();
      const cut = await send('/download/a', KEY, { signal: gone.signal });
      expect(cut.status).toBe(200);
      gone.abort();
    }
    expect(await health()).toBe(200);
  });

  it('count once where a request makes others of its own', async () => {
    const unread = await send('/download/a');
    const call = { name: 'tables_list_jobs', arguments: {} };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const answer = await send('/mcp', KEY, { method: 'POST', body: JSON.stringify(message), headers });
    expect(await answer.text()).not.toContain('too_many_requests');
    await unread.body?.cancel();
  });
});
