/** What every JobStore does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobEvent } from '../../packages/contract/events.ts';
import { slotOf } from '../../service/job/job.ts';
import type { JobMark, JobStore } from '../../service/ports.ts';
import { AT, eventOf, LATER, METRICS, NOT_STARTED, newJob, RECEIPT, requestFor } from '../support/jobFixtures.ts';
import { FAILURE, queuedIn, runningIn, startedIn, waiting } from './jobSteps.ts';
import type { Made, MakeAdapter } from './made.ts';

const LIMIT = 3;

export function jobStoreSuite(name: string, makeAdapter: MakeAdapter<JobStore>): void {
  describe(`JobStore: ${name}`, () => {
    let made: Made<JobStore>;
    let store: JobStore;
    beforeEach(async () => {
      made = await makeAdapter();
      store = made.adapter;
    });
    afterEach(() => made.dispose());

    const started = (id: string, attempt = 1) => startedIn(store, id, attempt);
    const running = (id: string) => runningIn(store, id);
    const queued = (id: string) => queuedIn(store, id);

    describe('records', () => {
      it('finds a job as it was created, from another handle too', async () => {
        await store.create(newJob('a', 'Umsätze "2026", 🐧.csv'));
        expect(await made.another().find('a')).toEqual({
          ...newJob('a', 'Umsätze "2026", 🐧.csv'),
          ...NOT_STARTED,
        });
      });

      it.each(['absent', '', '__proto__', 'a\u0000b'])('finds no job %j', async (id) => {
        expect(await store.find(id)).toBeUndefined();
      });

      it('refuses a second job of the same id and keeps the first', async () => {
        await store.create(newJob('a'));
        await expect(store.create(newJob('a', 'other.csv'))).rejects.toThrow();
        expect((await store.find('a'))?.fileName).toBe('table.csv');
      });

      it('lists the jobs of a key, the newest first, page by page, and none of another key', async () => {
        const made = ['b', 'a', 'd', 'c', 'e'];
        for (const [at, id] of made.entries()) {
          await store.create(newJob(id, 'table.csv', `2026-11-03T09:00:0${Math.floor(at / 2)}.000Z`));
        }
        await store.create({ ...newJob('other'), keyId: 'key-2' });
        const page = async (limit: number, before: JobMark | null) => store.madeBy('key-1', limit, before);
        await expect.poll(async () => (await page(10, null)).map(({ id }) => id)).toEqual(['e', 'd', 'c', 'b', 'a']);
        const first = await page(2, null);
        expect(first.map(({ id }) => id)).toEqual(['e', 'd']);
        expect((await page(2, first[1]!)).map(({ id }) => id)).toEqual(['c', 'b']);
        expect(await store.madeBy('nobody', 5, null)).toEqual([]);
        await store.erase('d');
        await expect.poll(async () => (await page(10, null)).map(({ id }) => id)).toEqual(['e', 'c', 'b', 'a']);
      });

      it('counts what it keeps for a key: jobs, and bytes of their files', async () => {
        for (const id of ['a', 'b']) await store.create(newJob(id));
        await store.create({ ...newJob('other'), keyId: 'key-2' });
        const { fileBytes } = newJob('a');
        await expect.poll(() => store.usageOf('key-1')).toEqual({ jobs: 2, bytes: 2 * fileBytes });
        await store.erase('a');
        await expect.poll(() => store.usageOf('key-1')).toEqual({ jobs: 1, bytes: fileBytes });
        expect(await store.usageOf('nobody')).toEqual({ jobs: 0, bytes: 0 });
      });

      it('notes once when the rows of a done job were released', async () => {
        await started('a');
        expect(await store.release('a', 1, LATER)).toBe(false);
        await store.run('a', 1);
        await store.finish('a', 1, METRICS, RECEIPT, LATER);
        expect((await store.find('a'))?.releasedAt).toBeNull();
        expect(await store.release('a', 2, LATER)).toBe(false);
        expect(await store.release('a', 1, LATER)).toBe(true);
        expect(await store.release('a', 1, AT)).toBe(false);
        expect(await store.find('a')).toMatchObject({ state: 'done', releasedAt: LATER });
        expect(await store.release('nobody', 1, LATER)).toBe(false);
      });

      it('counts active and all jobs', async () => {
        await store.create(newJob('idle'));
        await started('started');
        await running('running');
        await running('done');
        await store.finish('done', 1, METRICS, RECEIPT, LATER);
        await queued('waits');
        expect(await store.counts()).toEqual({ active: 2, total: 5 });
      });

      it('erases a record, twice without complaint', async () => {
        await store.create(newJob('a'));
        await store.erase('a');
        await store.erase('a');
        expect(await store.find('a')).toBeUndefined();
        expect(await store.counts()).toEqual({ active: 0, total: 0 });
      });
    });

    describe('transitions', () => {
      it('start writes the request and empties what an earlier attempt left', async () => {
        await running('a');
        await store.addEvents('a', 1, [eventOf(1)]);
        await store.fail('a', 1, FAILURE, LATER);
        await store.freeSlot(slotOf('a', 1));
        await started('a', 2);
        expect(await store.find('a')).toMatchObject({
          state: 'started',
          attempt: 2,
          startedAt: AT,
          endedAt: null,
          request: requestFor('a'),
          progress: [],
          metrics: null,
          error: null,
        });
      });

      it('start needs the slot of its attempt', async () => {
        await store.create(newJob('a'));
        expect(await store.start('a', 1, requestFor('a'), AT)).toBe(false);
        await store.takeSlot(slotOf('a', 2), LIMIT);
        expect(await store.start('a', 1, requestFor('a'), AT)).toBe(false);
        expect((await store.find('a'))?.state).toBe('uploaded');
      });

      it('start needs the attempt before', async () => {
        await store.create(newJob('a'));
        for (const attempt of [0, 2]) {
          await store.takeSlot(slotOf('a', attempt), LIMIT);
          expect(await store.start('a', attempt, requestFor('a'), AT)).toBe(false);
        }
      });

      it('only one of two starts at once succeeds', async () => {
        await store.create(newJob('a'));
        await store.takeSlot(slotOf('a', 1), LIMIT);
        const starts = [store, made.another()].map((handle) => handle.start('a', 1, requestFor('a'), AT));
        expect((await Promise.all(starts)).sort()).toEqual([false, true]);
      });

      it('goes started → running → done, and says so in the record', async () => {
        await running('a');
        expect((await store.find('a'))?.state).toBe('running');
        expect(await store.finish('a', 1, METRICS, RECEIPT, LATER)).toBe(true);
        const ended = { metrics: METRICS, receipt: RECEIPT, endedAt: LATER, error: null };
        expect(await store.find('a')).toMatchObject({ state: 'done', ...ended });
      });

      it('fails from started and from running, and says why', async () => {
        await started('a');
        await running('b');
        for (const id of ['a', 'b']) {
          expect(await store.fail(id, 1, FAILURE, LATER)).toBe(true);
          expect(await store.find(id)).toMatchObject({
            state: 'failed',
            error: FAILURE,
            endedAt: LATER,
            metrics: null,
          });
        }
      });

      const MOVES: Record<string, (id: string, attempt: number) => Promise<boolean>> = {
        start: (id, attempt) => store.start(id, attempt + 1, requestFor(id), AT),
        enqueue: async (id, attempt) =>
          (await store.enqueue(waiting(id, attempt + 1), requestFor(id), 9)) !== 'changed',
        startQueued: (id, attempt) => store.startQueued(waiting(id, attempt), requestFor(id), AT),
        requeue: (id, attempt) => store.requeue(waiting(id, attempt)),
        failQueued: (id, attempt) => store.failQueued(id, attempt, FAILURE, LATER),
        run: (id, attempt) => store.run(id, attempt),
        addEvents: (id, attempt) => store.addEvents(id, attempt, [eventOf(1)]),
        finish: (id, attempt) => store.finish(id, attempt, METRICS, RECEIPT, LATER),
        fail: (id, attempt) => store.fail(id, attempt, FAILURE, LATER),
      };
      const REFUSED: [string, string[]][] = [
        ['uploaded', ['run', 'addEvents', 'finish', 'fail', 'startQueued', 'requeue', 'failQueued']],
        ['queued', ['start', 'enqueue', 'run', 'addEvents', 'finish', 'fail', 'startQueued', 'requeue']],
        ['started', ['start', 'enqueue', 'finish', 'startQueued', 'failQueued']],
        ['running', ['start', 'enqueue', 'run', 'startQueued', 'requeue', 'failQueued']],
        ['done', ['start', 'enqueue', 'run', 'addEvents', 'finish', 'fail', 'startQueued', 'requeue', 'failQueued']],
        ['failed', ['run', 'addEvents', 'finish', 'fail', 'startQueued', 'requeue', 'failQueued']],
      ];

      it.each(REFUSED)('from %s refuses %j and changes nothing', async (state, moves) => {
        if (state === 'uploaded') await store.create(newJob('a'));
        else if (state === 'queued') await queued('a');
        else if (state === 'started') await started('a');
        else await running('a');
        if (state === 'done') await store.finish('a', 1, METRICS, RECEIPT, LATER);
        if (state === 'failed') await store.fail('a', 1, FAILURE, LATER);
        const before = await store.find('a');
        const attempt = before?.attempt ?? 0;
        await store.takeSlot(slotOf('a', attempt + 1), 100);
        for (const move of moves) expect([move, await MOVES[move]?.('a', attempt)]).toEqual([move, false]);
        expect(await store.find('a')).toEqual(before);
      });

      it('refuses every move of another attempt, and of a job that is not there', async () => {
        await running('a');
        const before = await store.find('a');
        for (const move of ['run', 'addEvents', 'finish', 'fail', 'startQueued', 'requeue', 'failQueued']) {
          for (const attempt of [0, 2]) expect(await MOVES[move]?.('a', attempt)).toBe(false);
          expect(await MOVES[move]?.('absent', 1)).toBe(false);
        }
        expect(await store.find('a')).toEqual(before);
      });
    });

    describe('progress', () => {
      it('appends events in order, as they were written', async () => {
        await started('a');
        const names = ['x', '"x", \\ y', '🐧 ✓', "it's", ''];
        const events = names.map(
          (column): JobEvent => ({
            stage: 'fit',
            fact: 'identifiers_read',
            column,
            distinct: 1,
            cells: 2,
            seconds: 0.1,
          }),
        );
        expect(await store.addEvents('a', 1, events.slice(0, 2))).toBe(true);
        expect(await made.another().addEvents('a', 1, events.slice(2))).toBe(true);
        expect(await store.addEvents('a', 1, [])).toBe(true);
        expect((await store.find('a'))?.progress).toEqual(events);
      });
    });

    describe('lists', () => {
      it('lists active jobs, oldest start first', async () => {
        await store.create(newJob('idle'));
        for (const [id, at] of [
          ['late', LATER],
          ['early', AT],
        ] as const) {
          await store.create(newJob(id));
          await store.takeSlot(slotOf(id, 1), LIMIT);
          await store.start(id, 1, requestFor(id), at);
        }
        expect((await store.active()).map(({ id }) => id)).toEqual(['early', 'late']);
      });

      it('lists jobs whose upload or end is older than a time, oldest first, and no active one', async () => {
        await store.create(newJob('b', 'b.csv', '2026-11-02T00:00:00.000Z'));
        await store.create(newJob('a', 'a.csv', '2026-11-01T00:00:00.000Z'));
        await running('active');
        await queued('waits');
        await running('done');
        await store.finish('done', 1, METRICS, RECEIPT, '2026-11-02T12:00:00.000Z');
        await running('ended-later');
        await store.fail('ended-later', 1, FAILURE, LATER);
        const before = async (at: string) => (await store.endedBefore(at)).map(({ id }) => id);
        expect(await before('2026-11-03T09:30:00.000Z')).toEqual(['a', 'b', 'done']);
        expect(await before('2026-11-01T12:00:00.000Z')).toEqual(['a']);
        expect(await before('2026-11-01T00:00:00.000Z')).toEqual([]);
      });
    });
  });
}
