/** What DynamoDB alone can show: writes whose answer is lost, conflicts, the size of an item. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeClients, createClients } from '../../adapters/aws/awsClients.ts';
import { DynamoJobStore } from '../../adapters/aws/dynamoJobStore.ts';
import { MAX_EVENTS } from '../../adapters/aws/progressBounds.ts';
import { RecordTable } from '../../adapters/aws/recordTable.ts';
import { slotOf } from '../../service/job/job.ts';
import { AT, eventOf, LATER, METRICS, newJob, RECEIPT, requestFor } from '../support/jobFixtures.ts';
import { makeTable, type TestTable } from './support/storage.ts';

let table: TestTable;
beforeAll(async () => {
  table = await makeTable();
});
afterAll(() => table.remove());

/** A store whose client loses the answer of each write once: the SDK sends it again. */
function forgetful(runner?: string): { store: DynamoJobStore; lost(): number; close(): void } {
  const clients = createClients();
  const lost = loseAnswers(clients.records);
  const store = new DynamoJobStore(new RecordTable(clients.records, table.name), runner);
  return { store, lost, close: () => closeClients(clients) };
}

function loseAnswers(client: DynamoDBClient): () => number {
  let lost = 0;
  const seen = new WeakSet<object>();
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const reply = await next(args);
      const isWrite = /Update|Transact/.test(context.commandName ?? '');
      if (!isWrite || seen.has(args.input)) return reply;
      seen.add(args.input);
      lost += 1;
      throw Object.assign(new Error('the answer was lost'), { name: 'TimeoutError' });
    },
    { step: 'deserialize', priority: 'low' },
  );
  return () => lost;
}

describe('a write whose answer is lost', () => {
  it('is done once, and said to be done, for every write of a job', async () => {
    const { store, lost, close } = forgetful();
    await store.create(newJob('lost'));
    expect(await store.takeSlot(slotOf('lost', 1), 3)).toBe('taken');
    expect(await store.start('lost', 1, requestFor('lost'), AT)).toBe(true);
    expect(await store.run('lost', 1)).toBe(true);
    expect(await store.addEvents('lost', 1, [eventOf(1)])).toBe(true);
    expect(await store.addEvents('lost', 1, [eventOf(2)])).toBe(true);
    expect(await store.finish('lost', 1, METRICS, RECEIPT, LATER)).toBe(true);
    await store.freeSlot(slotOf('lost', 1));
    expect(lost()).toBe(8);
    expect(await store.find('lost')).toMatchObject({ state: 'done', progress: [eventOf(1), eventOf(2)] });
    expect(await store.counts()).toEqual({ active: 0, total: 1 });
    await store.erase('lost');
    expect(await store.counts()).toEqual({ active: 0, total: 0 });
    close();
  });

  it('is done once, and said to be done, for every write of a job that waits', async () => {
    const { store, lost, close } = forgetful();
    const failure = { code: 'cancelled', params: { reason: 'cancelled' } } as const;
    const job = { jobId: 'q', attempt: 1, keyId: 'k', queuedAt: AT, estimate: { memoryMb: 1, seconds: 1 } };
    await store.create(newJob('q'));
    expect(await store.enqueue(job, requestFor('q'), 1)).toBe('queued');
    expect(await store.takeSlot(slotOf('q', 1), 3)).toBe('taken');
    expect(await store.startQueued(job, requestFor('q'), AT)).toBe(true);
    expect(await store.requeue(job)).toBe(true);
    expect((await store.line()).jobs).toEqual([job]);
    expect(await store.failQueued('q', 1, failure, LATER)).toBe(true);
    expect(lost()).toBe(6);
    expect((await store.line()).jobs).toEqual([]);
    await store.freeSlot(slotOf('q', 1));
    await store.erase('q');
    close();
  });

  it('leaves a slot that is held, and a set that is full, what they are', async () => {
    const { store, close } = forgetful();
    expect(await store.takeSlot('x#1', 1)).toBe('taken');
    expect(await store.takeSlot('x#1', 1)).toBe('held');
    expect(await store.takeSlot('y#1', 1)).toBe('full');
    await store.freeSlot('x#1');
    expect(await store.slots()).toEqual([]);
    close();
  });
});

describe('many at once', () => {
  it('create and erase jobs without losing count', async () => {
    const store = new DynamoJobStore(table.handle());
    const ids = Array.from({ length: 60 }, (_, i) => `many-${i}`);
    await Promise.all(ids.map((id) => store.create(newJob(id))));
    expect((await store.counts()).total).toBe(60);
    await Promise.all(ids.map((id) => store.erase(id)));
    expect((await store.counts()).total).toBe(0);
  });

  it('take slots and start: of 200, exactly three are active, each with its slot', async () => {
    const stores = Array.from({ length: 8 }, () => new DynamoJobStore(table.handle()));
    const ids = Array.from({ length: 200 }, (_, i) => `race-${i}`);
    for (let i = 0; i < ids.length; i += 40)
      await Promise.all(ids.slice(i, i + 40).map((id, k) => stores[k % 8]!.create(newJob(id))));
    const admitted = await Promise.all(
      ids.map(async (id, i) => {
        const store = stores[i % 8]!;
        if ((await store.takeSlot(slotOf(id, 1), 3)) !== 'taken') return false;
        return store.start(id, 1, requestFor(id), AT);
      }),
    );
    expect(admitted.filter(Boolean)).toHaveLength(3);
    const active = (await stores[0]!.active()).map(({ id }) => slotOf(id, 1)).sort();
    expect(await stores[0]!.slots()).toEqual(active);
    for (const slot of active) {
      await stores[0]!.fail(
        slot.split('#')[0]!,
        1,
        { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } },
        LATER,
      );
      await stores[0]!.freeSlot(slot);
    }
    await Promise.all(ids.map((id, i) => stores[i % 8]!.erase(id)));
  });
});

describe('the size of an item', () => {
  async function running(store: DynamoJobStore, id: string, columns: string[]): Promise<void> {
    await store.create(newJob(id));
    await store.takeSlot(slotOf(id, 1), 100);
    await store.start(id, 1, { ...requestFor(id), categorical_cols: columns }, AT);
    await store.run(id, 1);
  }

  it('holds the widest table there can be, with long progress and its metrics', async () => {
    const store = new DynamoJobStore(table.handle());
    const columns = Array.from({ length: 16_384 }, (_, i) => `measurement_${i}`);
    await running(store, 'wide', columns);
    const event = { stage: 'fit', fact: 'target_constant', column: 'ü'.repeat(2000), value: 1, seconds: 1 } as const;
    for (let i = 0; i < 8; i++) expect(await store.addEvents('wide', 1, Array(50).fill(event))).toBe(true);
    expect(await store.finish('wide', 1, { ...METRICS, columns }, RECEIPT, LATER)).toBe(true);
    const job = await store.find('wide');
    expect(job?.request?.categorical_cols).toEqual(columns);
    expect(job?.metrics?.columns).toEqual(columns);
    expect(job?.progress.length).toBeLessThanOrEqual(MAX_EVENTS);
  });

  it('keeps the first and the last line of very many', async () => {
    const store = new DynamoJobStore(table.handle());
    await running(store, 'talkative', []);
    const [first, last] = [eventOf(1), eventOf(2)];
    await store.addEvents('talkative', 1, [first]);
    for (let i = 0; i < 30; i++) {
      const more = Array.from({ length: 37 }, (_, j) => eventOf(100 * (i + 1) + j));
      expect(await store.addEvents('talkative', 1, more)).toBe(true);
    }
    await store.addEvents('talkative', 1, [last]);
    const progress = (await store.find('talkative'))?.progress ?? [];
    expect([progress[0], progress.at(-1)]).toEqual([first, last]);
    expect(progress.filter((entry) => typeof entry === 'object' && entry.fact === 'events_omitted')).toHaveLength(1);
  });

  it('refuses a request that is too long to be kept, and says what to do', async () => {
    const store = new DynamoJobStore(table.handle());
    await store.create(newJob('long'));
    await store.takeSlot(slotOf('long', 1), 100);
    const columns = Array.from({ length: 12_000 }, () => crypto.randomUUID() + crypto.randomUUID());
    await expect(
      store.start('long', 1, { ...requestFor('long'), categorical_cols: columns }, AT),
    ).rejects.toMatchObject({ code: 'request_too_large', params: { reason: 'column_names_too_long' } });
  });
});
