import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp } from '../../../api/app.ts';
import { ServiceError } from '../../../packages/contract/errors.ts';
import { type EncodedProfile, encodeProfile } from '../../../packages/tables/profile/profile.ts';
import { CLAIM_MS } from '../../../service/ports.ts';
import { KEY, memoryService, OTHER_KEY, PROFILE } from '../../support/memoryService.ts';
import { filePart, MULTIPART, multipart } from '../../support/multipart.ts';

const START = Date.parse('2026-11-03T09:00:00Z');

/** A service whose reader waits for the test, whose clock is the (faked) system's. */
function slowService() {
  let finish: (profile: EncodedProfile) => void = () => undefined;
  const reader = { profile: () => new Promise<EncodedProfile>((resolve) => (finish = resolve)) };
  const service = memoryService({ reader, clock: { now: () => new Date() } });
  const app = createApp(service, { corsOrigins: [] });
  const upload = (name: string, key = KEY) =>
    app.request('/upload', {
      method: 'POST',
      body: multipart([filePart('x,c\n1,a\n')]),
      headers: { 'X-API-Key': key, 'Content-Type': MULTIPART, 'Idempotency-Key': name },
    });
  return { service, upload, finish: () => finish(encodeProfile(PROFILE)) };
}

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ['setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => void vi.useRealTimers());

const codeOf = async (reply: Response) => ((await reply.json()) as { error: { code: string } | null }).error?.code;
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('idempotent', () => {
  it('refuses the second of two requests for as long as the first is at work, however long that is', async () => {
    const { service, upload, finish } = slowService();
    const first = upload('a');
    await settled();
    for (let waited = 0; waited < 5 * CLAIM_MS; waited += CLAIM_MS / 2) {
      const second = await upload('a');
      expect([second.status, await codeOf(second), second.headers.get('Retry-After')]).toEqual([
        409,
        'request_in_progress',
        '2',
      ]);
      await vi.advanceTimersByTimeAsync(CLAIM_MS / 2);
    }
    finish();
    const answer = await (await first).text();
    const again = await upload('a');
    expect([again.status, await again.text(), service.records.size]).toEqual([200, answer, 1]);
  });

  it('keeps the names of one client from another', async () => {
    const { service, upload, finish } = slowService();
    const first = upload('a');
    await settled();
    finish();
    await first;
    const other = upload('a', OTHER_KEY);
    await settled();
    finish();
    expect([(await other).headers.get('Idempotent-Replayed'), service.records.size]).toEqual([null, 2]);
  });

  it('makes nothing where the answer cannot be kept, and may be sent again', async () => {
    const { service, upload, finish } = slowService();
    const { settle } = service.idempotency;
    service.idempotency.settle = () => Promise.reject(new ServiceError({ reason: 'disk_full' }));
    const first = upload('a');
    await settled();
    finish();
    expect([(await first).status, service.records.size]).toEqual([507, 0]);
    service.idempotency.settle = settle;
    const again = upload('a');
    await settled();
    finish();
    expect([(await again).status, service.records.size]).toEqual([200, 1]);
  });

  it('is done once where the server is killed as soon as the job has its record', async () => {
    const { service, upload, finish } = slowService();
    const { find } = service.jobs;
    let killed: () => void = () => undefined;
    const isKilled = new Promise<void>((resolve) => {
      killed = resolve;
    });
    service.jobs.find = () => {
      killed();
      return new Promise(() => undefined);
    };
    void upload('a');
    await settled();
    finish();
    await isKilled;
    service.jobs.find = find;
    await vi.advanceTimersByTimeAsync(2 * CLAIM_MS);
    const again = await upload('a');
    expect([again.status, again.headers.get('Idempotent-Replayed'), service.records.size]).toEqual([200, 'true', 1]);
  });

  it('forgets an answer after a day', async () => {
    const { service, upload, finish } = slowService();
    const first = upload('a');
    await settled();
    finish();
    await first;
    vi.setSystemTime(START + 86_400_000);
    const again = upload('a');
    await settled();
    finish();
    expect([(await again).headers.get('Idempotent-Replayed'), service.records.size]).toEqual([null, 2]);
  });
});
