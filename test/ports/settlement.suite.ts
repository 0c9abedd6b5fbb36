/** What every JobStore does with the answer of a request that it keeps in the same transaction. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slotOf } from '../../service/job/job.ts';
import type { IdempotencyStore, JobStore, Settlement } from '../../service/ports.ts';
import { AT, newJob, requestFor } from '../support/jobFixtures.ts';
import type { Made, MakeAdapter } from './made.ts';

const NOW = 1_800_000_000_000;
const SETTLEMENT: Settlement = { name: 'k#1', token: 'a', digest: 'abc', answer: '{}', until: NOW + 5000 };

/** Both on one storage. */
export interface Records {
  jobs: JobStore;
  idempotency: IdempotencyStore;
}

export function settlementSuite(name: string, makeAdapter: MakeAdapter<Records>): void {
  describe(`Settlement: ${name}`, () => {
    let made: Made<Records>;
    beforeEach(async () => {
      made = await makeAdapter();
      await claim('a');
    });
    afterEach(() => made.dispose());

    const claim = async (token: string, now = NOW) =>
      (await made.adapter.idempotency.claim('k#1', token, now, now + 1000)).kind;

    it('makes a job and keeps the answer, or neither', async () => {
      const { jobs } = made.adapter;
      const lapsed = jobs.create(newJob('x'), { ...SETTLEMENT, token: 'b' });
      await expect(lapsed).rejects.toMatchObject({ code: 'request_in_progress' });
      expect(await jobs.find('x')).toBeUndefined();
      expect(await jobs.counts()).toEqual({ active: 0, total: 0 });
      await jobs.create(newJob('x'), SETTLEMENT);
      expect(await made.another().jobs.find('x')).toBeDefined();
      expect(await claim('b')).toBe('settled');
      expect(await claim('b', NOW + 2000)).toBe('settled');
    });

    it('queues a job and keeps the answer, or neither', async () => {
      const { jobs } = made.adapter;
      await jobs.create(newJob('x'));
      const own = { jobId: 'x', attempt: 1, keyId: 'k', queuedAt: AT, estimate: { memoryMb: 1, seconds: null } };
      const queue = (token: string) => jobs.enqueue(own, requestFor('x'), 9, { settlement: { ...SETTLEMENT, token } });
      expect(await queue('b')).toBe('changed');
      expect(await jobs.line()).toMatchObject({ jobs: [] });
      expect(await queue('a')).toBe('queued');
      expect(await claim('b')).toBe('settled');
    });

    it('starts a job and keeps the answer, or neither', async () => {
      const { jobs } = made.adapter;
      await jobs.create(newJob('x'));
      const start = (token: string) =>
        jobs.start('x', 1, requestFor('x'), AT, { settlement: { ...SETTLEMENT, token } });
      expect(await start('a')).toBe(false);
      expect(await claim('b')).toBe('pending');
      await jobs.takeSlot(slotOf('x', 1), 3);
      expect(await start('b')).toBe(false);
      expect((await jobs.find('x'))?.state).toBe('uploaded');
      expect(await start('a')).toBe(true);
      expect((await jobs.find('x'))?.state).toBe('started');
      expect(await claim('b')).toBe('settled');
    });
  });
}
