/** How every JobStore lets jobs run: its slots, the line of those that wait for one, and both in any order of steps. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isActive, slotOf } from '../../service/job/job.ts';
import type { JobStore } from '../../service/ports.ts';
import { AT, eventOf, LATER, METRICS, newJob, RECEIPT, requestFor } from '../support/jobFixtures.ts';
import { FAILURE, queuedIn, runningIn, startedIn, waiting } from './jobSteps.ts';
import type { Made, MakeAdapter } from './made.ts';

const LIMIT = 3;

export function jobSlotsSuite(name: string, makeAdapter: MakeAdapter<JobStore>): void {
  describe(`slots and line of the JobStore: ${name}`, () => {
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
          state: 'queued',
          attempt: 2,
          queuedAt: LATER,
          startedAt: null,
          endedAt: null,
          progress: [],
          error: null,
          request: requestFor('a'),
          estimate: job.estimate,
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
