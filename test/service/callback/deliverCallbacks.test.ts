import { beforeEach, describe, expect, it } from 'vitest';
import { WAITS_SECONDS } from '../../../service/callback/callbackUrl.ts';
import { deliverCallback, deliverCallbacks } from '../../../service/callback/deliverCallbacks.ts';
import { slotOf } from '../../../service/job/job.ts';
import type { CallbackAnswer, CallbackSender } from '../../../service/ports.ts';
import { METRICS, newJob, RECEIPT, requestFor } from '../../support/jobFixtures.ts';
import { type MemoryService, memoryService } from '../../support/memoryService.ts';

const START = Date.parse('2026-11-03T09:00:00Z');

interface Sent {
  url: string;
  id: string;
  body: string;
}

let now: number;
let service: MemoryService;
let sent: Sent[];
let answer: (call: Sent) => Promise<CallbackAnswer>;
const answering = (status: number | null) => async () => ({ status, said: `answered ${status}` });
const sender: CallbackSender = {
  send(url, headers, body) {
    sent.push({ url, id: headers['webhook-id'] ?? '', body });
    return answer({ url, id: '', body });
  },
};

beforeEach(() => {
  now = START;
  sent = [];
  answer = answering(204);
  service = memoryService({ clock: { now: () => new Date(now) } });
});

const deliver = (budgetMs = 60_000) => deliverCallbacks({ service, sender }, budgetMs);
const later = (seconds: number) => {
  now += seconds * 1000 + 1;
};
const iso = () => new Date(now).toISOString();

/** A job that is running and whose end somebody wants to know. */
async function running(id: string, attempt = 1): Promise<void> {
  if (attempt === 1) await service.jobs.create(newJob(id));
  await service.callbacks.enqueue({ jobId: id, attempt, keyId: 'key-1', url: `https://example.org/${id}` }, iso());
  await service.jobs.takeSlot(slotOf(id, attempt), 100);
  await service.jobs.start(id, attempt, requestFor(id), iso());
  await service.jobs.run(id, attempt);
  later(1);
}

describe('deliverCallbacks', () => {
  it('calls once when the job is done, and not before', async () => {
    await running('a');
    await deliver();
    expect(sent).toEqual([]);
    await service.jobs.finish('a', 1, METRICS, RECEIPT, iso());
    await deliver();
    await deliver();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ url: 'https://example.org/a', id: 'a-1' });
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      type: 'job.done',
      timestamp: expect.stringMatching(/^2026-11-03T09:00:0/),
      data: { job_id: 'a', status: 'done', rows_generated: METRICS.rows_generated, release: 'open', error: null },
    });
    expect(await service.callbacks.find('a')).toMatchObject({
      state: 'delivered',
      tries: 1,
      lastAnswer: 'answered 204',
    });
  });

  it('says of a failure its code, and nothing that was found in the table', async () => {
    await running('a');
    await service.jobs.fail('a', 1, { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } }, iso());
    await deliverCallback({ service, sender }, 'a');
    const { type, data } = JSON.parse(sent[0]?.body ?? '');
    expect([type, data.rows_generated]).toEqual(['job.failed', null]);
    expect(data.error).toEqual({ code: 'crashed' });
  });

  it('tries again after longer and longer waits, with the same id and body, and gives up after the last', async () => {
    answer = answering(500);
    await running('a');
    await service.jobs.finish('a', 1, METRICS, RECEIPT, iso());
    await deliver();
    for (const [i, wait] of WAITS_SECONDS.entries()) {
      expect(await service.callbacks.find('a')).toMatchObject({ state: 'waiting', tries: i + 1 });
      later(wait - 1);
      await deliver();
      expect(sent).toHaveLength(i + 1);
      later(1);
      await deliver();
      expect(sent).toHaveLength(i + 2);
    }
    expect(await service.callbacks.find('a')).toMatchObject({ state: 'failed', tries: WAITS_SECONDS.length + 1 });
    later(1e6);
    await deliver();
    expect(sent).toHaveLength(WAITS_SECONDS.length + 1);
    expect(new Set(sent.map(({ id, body }) => id + body)).size).toBe(1);
    expect((await service.jobs.find('a'))?.state).toBe('done');
  });

  it.each([
    [410, 'failed'],
    [404, 'waiting'],
    [302, 'waiting'],
    [null, 'waiting'],
    [200, 'delivered'],
  ] as const)('after an answer of %s the call is %s', async (status, state) => {
    answer = answering(status);
    await running('a');
    await service.jobs.finish('a', 1, METRICS, RECEIPT, iso());
    await deliver();
    expect((await service.callbacks.find('a'))?.state).toBe(state);
  });

  it('calls once though several processes deliver at once', async () => {
    for (const id of ['a', 'b', 'c']) {
      await running(id);
      await service.jobs.finish(id, 1, METRICS, RECEIPT, iso());
    }
    await Promise.all([deliver(), deliver(), deliver()]);
    expect(sent.map(({ id }) => id).sort()).toEqual(['a-1', 'b-1', 'c-1']);
  });

  it('lets one that fails hold up no other, and is not kept from the next round by it', async () => {
    for (const id of ['a', 'b']) {
      await running(id);
      await service.jobs.finish(id, 1, METRICS, RECEIPT, iso());
    }
    answer = async ({ url }) => {
      if (url.endsWith('/a')) throw new Error('a fault of the sender');
      return { status: 204, said: 'answered 204' };
    };
    await deliver();
    expect((await service.callbacks.find('b'))?.state).toBe('delivered');
    expect(service.lines).toContainEqual(expect.objectContaining({ event: 'callback_not_made' }));
    expect(await service.callbacks.find('a')).toMatchObject({ state: 'waiting', tries: 1 });
  });

  it('takes up no more once its time is over, and leaves the rest for the next round', async () => {
    for (let i = 0; i < 30; i++) {
      await running(`j${i}`);
      await service.jobs.finish(`j${i}`, 1, METRICS, RECEIPT, iso());
    }
    answer = async () => {
      later(4);
      return { status: 204, said: 'answered 204' };
    };
    await deliver(5000);
    expect(sent.length).toBeLessThan(30);
    for (let round = 0; round < 10; round++) await deliver(5000);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(30);
  });

  it('forgets the call of a job that was erased, started once more, or never begun', async () => {
    await service.callbacks.enqueue({ jobId: 'gone', attempt: 1, keyId: 'k', url: 'https://example.org/' }, iso());
    await running('again');
    await service.jobs.fail(
      'again',
      1,
      { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } },
      iso(),
    );
    await service.jobs.start('again', 2, requestFor('again'), iso());
    await service.jobs.create(newJob('new'));
    await service.callbacks.enqueue({ jobId: 'new', attempt: 1, keyId: 'k', url: 'https://example.org/' }, iso());
    later(1);
    await deliver();
    expect(await service.callbacks.find('gone')).toBeUndefined();
    expect(await service.callbacks.find('again')).toBeUndefined();
    expect(await service.callbacks.find('new')).toBeDefined();
    later(700);
    await deliver();
    expect(await service.callbacks.find('new')).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('logs no address', async () => {
    await running('a');
    await service.jobs.finish('a', 1, METRICS, RECEIPT, iso());
    await deliver();
    expect(JSON.stringify(service.lines)).not.toContain('example.org');
    expect(service.lines).toContainEqual(expect.objectContaining({ event: 'callback_tried' }));
  });
});
