/** What every JobStore does. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobEvent } from '../../packages/contract/events.ts';
import { isActive, slotOf } from '../../service/job/job.ts';
import type { JobMark, JobStore, QueuedJob } from '../../service/ports.ts';
import { AT, eventOf, LATER, METRICS, newJob, RECEIPT, requestFor } from '../support/jobFixtures.ts';
import type { Made, MakeAdapter } from './made.ts';

const FAILURE = { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } } as const;
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

    async function started(id: string, attempt = 1): Promise<void> {
      if (attempt === 1) await store.create(newJob(id));
      expect(await store.takeSlot(slotOf(id, attempt), 100)).toBe('taken');
      expect(await store.start(id, attempt, requestFor(id), AT)).toBe(true);
    }

    /** As it stands in the line. */
    const waiting = (jobId: string, attempt = 1, queuedAt = AT): QueuedJob => ({
      ...{ jobId, attempt, keyId: 'key-1', queuedAt, estimate: { memoryMb: 300, seconds: 12.5 } },
    });

    async function queued(id: string): Promise<void> {
      await store.create(newJob(id));
      expect(await store.enqueue(waiting(id), requestFor(id), 100)).toBe('queued');
    }

    async function running(id: string): Promise<void> {
      await started(id);
      expect(await store.run(id, 1)).toBe(true);
    }

    describe('records', () => {
      it('finds a job as it was created, from another handle too', async () => {
        await store.create(newJob('a', 'Umsätze "2026", 🐧.csv'));
        expect(await made.another().find('a')).toEqual({
          ...newJob('a', 'Umsätze "2026", 🐧.csv'),
          state: 'uploaded',
          attempt: 0,
          queuedAt: null,
          startedAt: null,
          endedAt: null,
          request: null,
          estimate: null,
          progress: [],
          metrics: null,
          receipt: null,
          releasedAt: null,
          error: null,
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

    describe('the line', () => {
      const ids = async () => (await made.another().line()).jobs.map(({ jobId }) => jobId).sort();

      it('keeps a job that waits with what is known of it, and empties what an earlier attempt left', async () => {
        await running('a');
        await store.addEvents('a', 1, [eventOf(1)]);
        await store.fail('a', 1, FAILURE, LATER);
        const job = waiting('a', 2, LATER);
        expect(await store.enqueue(job, requestFor('a'), 1)).toBe('queued');
        expect(await made.another().line()).toEqual({ jobs: [job], served: new Map() });
        expect(await store.find('a')).toMatchObject({
          ...{
            state: 'queued',
            attempt: 2,
            queuedAt: LATER,
            startedAt: null,
            endedAt: null,
            progress: [],
            error: null,
          },
          ...{ request: requestFor('a'), estimate: job.estimate },
        });
        expect(await store.active()).toEqual([]);
      });

      it('admits as many as the limit says', async () => {
        for (const id of ['a', 'b', 'c']) await store.create(newJob(id));
        const join = (id: string) => store.enqueue(waiting(id), requestFor(id), 2);
        expect([await join('a'), await join('b'), await join('c')]).toEqual(['queued', 'queued', 'full']);
        expect((await store.find('c'))?.state).toBe('uploaded');
        await store.failQueued('a', 1, FAILURE, LATER);
        expect(await join('c')).toBe('queued');
        expect(await ids()).toEqual(['b', 'c']);
      });

      it('lets a job go to its slot, once, and notes when its key was served', async () => {
        await queued('a');
        const start = (handle: JobStore) => handle.startQueued(waiting('a'), requestFor('a'), LATER);
        expect(await start(store)).toBe(false);
        await store.takeSlot(slotOf('a', 1), LIMIT);
        expect((await Promise.all([start(store), start(made.another())])).sort()).toEqual([false, true]);
        expect(await store.find('a')).toMatchObject({ state: 'started', attempt: 1, startedAt: LATER, queuedAt: AT });
        expect(await store.line()).toEqual({ jobs: [], served: new Map([['key-1', LATER]]) });
        expect((await store.active()).map(({ id }) => id)).toEqual(['a']);
        expect(await store.run('a', 1)).toBe(true);
      });

      it('takes back a job that found no compute', async () => {
        await queued('a');
        await store.takeSlot(slotOf('a', 1), LIMIT);
        await store.startQueued(waiting('a'), requestFor('a'), LATER);
        expect(await store.requeue(waiting('a'))).toBe(true);
        await store.freeSlot(slotOf('a', 1));
        expect(await store.slots()).toEqual([]);
        expect((await store.line()).jobs).toEqual([waiting('a')]);
        expect(await store.find('a')).toMatchObject({ state: 'queued', startedAt: null });
      });

      it('is left by a job that fails, and by one whose record goes', async () => {
        await queued('a');
        await queued('b');
        expect(await store.failQueued('a', 1, FAILURE, LATER)).toBe(true);
        expect(await store.find('a')).toMatchObject({ state: 'failed', error: FAILURE, endedAt: LATER });
        expect(await ids()).toEqual(['b']);
        await store.erase('b');
        expect(await ids()).toEqual([]);
        expect((await store.endedBefore('2099')).map(({ id }) => id)).toEqual(['a']);
      });

      it('is joined by one of two at once', async () => {
        await store.create(newJob('a'));
        const joined = [store, made.another()].map((handle) => handle.enqueue(waiting('a'), requestFor('a'), 9));
        expect((await Promise.all(joined)).sort()).toEqual(['changed', 'queued']);
        expect(await ids()).toEqual(['a']);
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

    describe('slots', () => {
      it('admits as many as the limit says, and says held before full', async () => {
        for (const slot of ['a#1', 'b#1', 'c#1']) expect(await store.takeSlot(slot, LIMIT)).toBe('taken');
        expect(await store.takeSlot('d#1', LIMIT)).toBe('full');
        expect(await store.takeSlot('a#1', LIMIT)).toBe('held');
        expect(await made.another().slots()).toEqual(['a#1', 'b#1', 'c#1']);
      });

      it('frees a slot, twice without freeing another', async () => {
        for (const slot of ['a#1', 'b#1', 'c#1']) await store.takeSlot(slot, LIMIT);
        await store.freeSlot('b#1');
        await store.freeSlot('b#1');
        expect(await store.slots()).toEqual(['a#1', 'c#1']);
        expect(await store.takeSlot('d#1', LIMIT)).toBe('taken');
        expect(await store.takeSlot('e#1', LIMIT)).toBe('full');
      });

      it('keeps the slot of an attempt that is started or running', async () => {
        await started('a');
        await store.freeSlot('a#1');
        expect(await store.slots()).toEqual(['a#1']);
        await store.run('a', 1);
        await store.freeSlot('a#1');
        expect(await store.slots()).toEqual(['a#1']);
        await store.fail('a', 1, FAILURE, LATER);
        await store.freeSlot('a#1');
        expect(await store.slots()).toEqual([]);
      });

      it('a late release by an ended attempt leaves the slot of the next one', async () => {
        await running('a');
        await store.fail('a', 1, FAILURE, LATER);
        await store.takeSlot('a#2', LIMIT);
        await store.freeSlot('a#1');
        expect(await store.slots()).toEqual(['a#2']);
      });

      it('of twenty takers at once on two handles, exactly three are admitted', async () => {
        const handles = [store, made.another()];
        const takers = Array.from({ length: 20 }, (_, i) => handles[i % 2]!.takeSlot(slotOf(`job-${i}`, 1), LIMIT));
        const outcomes = await Promise.all(takers);
        expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(LIMIT);
        expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(20 - LIMIT);
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

    it('whatever is done in whatever order, no more than three are active and each of them holds its slot', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(stepArbitrary, { minLength: 1, maxLength: 40 }), async (steps) => {
          const fresh = await makeAdapter();
          try {
            await walk([fresh.adapter, fresh.another()], steps);
          } finally {
            await fresh.dispose();
          }
        }),
        { numRuns: 40, seed: 20_261_103 },
      );
    });
  });
}

const JOBS = ['a', 'b', 'c', 'd', 'e'];
const stepArbitrary = fc.record({
  /** Steps of one batch are sent at once. */
  batch: fc.boolean(),
  handle: fc.nat(1),
  job: fc.constantFrom(...JOBS),
  attempt: fc.integer({ min: 1, max: 3 }),
  move: fc.constantFrom('take', 'start', 'queue', 'turn', 'back', 'run', 'finish', 'fail', 'release'),
});
type Step = { batch: boolean; handle: number; job: string; attempt: number; move: string };

async function walk(handles: JobStore[], steps: Step[]): Promise<void> {
  const [first] = handles;
  for (const job of JOBS) await first!.create(newJob(job));
  let pending: Promise<unknown>[] = [];
  for (const step of steps) {
    pending.push(take(handles[step.handle]!, step));
    if (step.batch) continue;
    await Promise.all(pending);
    pending = [];
    await checkSlots(first!);
  }
  await Promise.all(pending);
  await checkSlots(first!);
}

function take(store: JobStore, { job, attempt, move }: Step): Promise<unknown> {
  if (move === 'take') return store.takeSlot(slotOf(job, attempt), LIMIT);
  if (move === 'start') return store.start(job, attempt, requestFor(job), AT);
  const own = { jobId: job, attempt, keyId: 'k', queuedAt: AT, estimate: { memoryMb: 1, seconds: null } };
  if (move === 'queue') return store.enqueue(own, requestFor(job), 3);
  if (move === 'turn') return store.startQueued(own, requestFor(job), AT);
  if (move === 'back') return store.requeue(own);
  if (move === 'run') return store.run(job, attempt);
  if (move === 'finish') return store.finish(job, attempt, METRICS, RECEIPT, LATER);
  if (move === 'fail') return store.fail(job, attempt, FAILURE, LATER);
  return store.freeSlot(slotOf(job, attempt));
}

async function checkSlots(store: JobStore): Promise<void> {
  const slots = await store.slots();
  expect(slots.length).toBeLessThanOrEqual(LIMIT);
  expect(new Set(slots).size).toBe(slots.length);
  for (const { jobId, attempt } of (await store.line()).jobs) {
    expect(await store.find(jobId)).toMatchObject({ state: 'queued', attempt });
  }
  for (const job of await store.active()) {
    expect(isActive(job.state)).toBe(true);
    expect(slots).toContain(slotOf(job.id, job.attempt));
  }
}
