/** What every JobStore does with the charges of private attempts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slotOf } from '../../service/job/job.ts';
import type { JobStore } from '../../service/ports.ts';
import type { Charge, NewCharge } from '../../service/privacy/charges.ts';
import { AT, LATER, METRICS, newJob, RECEIPT, requestFor } from '../support/jobFixtures.ts';
import { FAILURE, waiting } from './jobSteps.ts';
import type { Made, MakeAdapter } from './made.ts';

const LEDGER = 'a ledger';

const chargeOf = (id: string, jobId: string, attempt = 1): Charge => ({
  id,
  job_id: jobId,
  attempt,
  epsilon: 1,
  delta: 1e-6,
  rho: 0.024356,
  at: AT,
});

export function ledgerSuite(name: string, makeAdapter: MakeAdapter<JobStore>): void {
  describe(`ledgers of the JobStore: ${name}`, () => {
    let made: Made<JobStore>;
    let store: JobStore;
    beforeEach(async () => {
      made = await makeAdapter();
      store = made.adapter;
    });
    afterEach(() => made.dispose());

    const ids = async () => (await made.another().ledger(LEDGER)).charges.map(({ id }) => id);
    const next = async (id: string, jobId: string, attempt = 1): Promise<NewCharge> => {
      const { version, charges } = await store.ledger(LEDGER);
      return { ledger: LEDGER, version, charges: [...charges, chargeOf(id, jobId, attempt)], id };
    };
    const start = async (id: string, jobId: string, attempt = 1, charge?: NewCharge) => {
      if (attempt === 1) await store.create(newJob(jobId));
      await store.takeSlot(slotOf(jobId, attempt), 100);
      const own = charge ?? (await next(id, jobId, attempt));
      return store.start(jobId, attempt, requestFor(jobId), AT, { charge: own });
    };
    const queue = async (id: string, jobId: string, charge?: NewCharge) => {
      await store.create(newJob(jobId));
      const own = charge ?? (await next(id, jobId));
      return store.enqueue(waiting(jobId), requestFor(jobId), 100, { charge: own });
    };

    it('are empty at first', async () => {
      expect(await store.ledger(LEDGER)).toEqual({ version: 0, charges: [] });
    });

    it('have a charge as it was written, with each start and each job that joins the line', async () => {
      expect(await start('one', 'a')).toBe(true);
      expect(await queue('two', 'b')).toBe('queued');
      const { version, charges } = await made.another().ledger(LEDGER);
      expect(charges).toEqual([chargeOf('one', 'a'), chargeOf('two', 'b')]);
      expect(version).toBe(2);
      expect(await store.ledger('another')).toEqual({ version: 0, charges: [] });
    });

    it('have no charge of a job that was not started: of another attempt, or without a slot', async () => {
      await store.create(newJob('a'));
      expect(await store.start('a', 1, requestFor('a'), AT, { charge: await next('one', 'a') })).toBe(false);
      await store.takeSlot(slotOf('a', 2), 100);
      expect(await store.start('a', 2, requestFor('a'), AT, { charge: await next('one', 'a') })).toBe(false);
      expect(await ids()).toEqual([]);
    });

    it('start nothing where they were written since they were read', async () => {
      const stale = await next('two', 'b');
      expect(await start('one', 'a')).toBe(true);
      expect(await start('two', 'b', 1, stale)).toBe(false);
      expect(await queue('three', 'c', { ...stale, id: 'three' })).toBe('changed');
      for (const id of ['b', 'c']) expect(await store.find(id)).toMatchObject({ state: 'uploaded', attempt: 0 });
      expect(await ids()).toEqual(['one']);
      expect(await store.start('b', 1, requestFor('b'), AT, { charge: await next('two', 'b') })).toBe(true);
    });

    it('give one of two starts at once its charge', async () => {
      await store.create(newJob('a'));
      await store.takeSlot(slotOf('a', 1), 100);
      const charges = [await next('one', 'a'), await next('two', 'a')];
      const started = await Promise.all(
        charges.map((charge) => made.another().start('a', 1, requestFor('a'), AT, { charge })),
      );
      expect([...started].sort()).toEqual([false, true]);
      expect(await ids()).toEqual([started[0] ? 'one' : 'two']);
    });

    it('take back the charge of an attempt that ends before it runs, and no other', async () => {
      for (const [id, job] of [
        ['one', 'a'],
        ['two', 'b'],
        ['three', 'c'],
      ] as const)
        await start(id, job);
      expect(await store.fail('b', 1, FAILURE, LATER)).toBe(true);
      expect(await store.fail('b', 1, FAILURE, LATER)).toBe(false);
      expect(await ids()).toEqual(['one', 'three']);
      expect(await store.find('b')).toMatchObject({ state: 'failed' });
      await store.erase('c');
      await store.erase('c');
      expect(await ids()).toEqual(['one']);
    });

    it('take back the charge of a job that leaves the line, and of one that is erased in it', async () => {
      await queue('one', 'a');
      await queue('two', 'b');
      expect(await store.failQueued('a', 1, FAILURE, LATER)).toBe(true);
      expect(await store.failQueued('a', 1, FAILURE, LATER)).toBe(false);
      expect(await ids()).toEqual(['two']);
      await store.erase('b');
      expect(await ids()).toEqual([]);
      expect((await store.line()).jobs).toEqual([]);
    });

    it('keep the charge of an attempt that ran, however it ends', async () => {
      for (const [id, job] of [
        ['one', 'a'],
        ['two', 'b'],
        ['three', 'c'],
      ] as const) {
        await start(id, job);
        expect(await store.run(job, 1)).toBe(true);
      }
      expect(await store.fail('a', 1, FAILURE, LATER)).toBe(true);
      expect(await store.finish('b', 1, METRICS, RECEIPT, LATER)).toBe(true);
      for (const job of ['a', 'b', 'c']) await store.erase(job);
      expect(await ids()).toEqual(['one', 'two', 'three']);
    });

    it('keep the charge of a job that got its turn, and went back into the line before it ran', async () => {
      await queue('one', 'a');
      await store.takeSlot(slotOf('a', 1), 100);
      expect(await store.startQueued(waiting('a'), requestFor('a'), LATER)).toBe(true);
      expect(await store.requeue(waiting('a'))).toBe(true);
      expect(await ids()).toEqual(['one']);
      expect(await store.failQueued('a', 1, FAILURE, LATER)).toBe(true);
      expect(await ids()).toEqual([]);
    });

    it('take back the charge of the second attempt alone, where the first one ran', async () => {
      await start('one', 'a');
      await store.run('a', 1);
      await store.fail('a', 1, FAILURE, LATER);
      await store.freeSlot(slotOf('a', 1));
      expect(await start('two', 'a', 2)).toBe(true);
      expect(await ids()).toEqual(['one', 'two']);
      await store.fail('a', 2, FAILURE, LATER);
      expect(await ids()).toEqual(['one']);
    });

    it('hold a thousand charges', async () => {
      await store.create(newJob('a'));
      await store.takeSlot(slotOf('a', 1), 100);
      const charges = Array.from({ length: 1000 }, (_, at) => chargeOf(`charge-${at}-${'x'.repeat(30)}`, 'a'));
      const own = { ledger: LEDGER, version: 0, charges, id: charges[999]!.id };
      expect(await store.start('a', 1, requestFor('a'), AT, { charge: own })).toBe(true);
      expect(await ids()).toHaveLength(1000);
      await store.fail('a', 1, FAILURE, LATER);
      expect(await ids()).toEqual(charges.slice(0, -1).map(({ id }) => id));
    });

    it('are right where attempts of one ledger end, run and start at once', async () => {
      const jobs = Array.from({ length: 6 }, (_, at) => `j${at}`);
      for (const job of jobs) await start(job, job);
      await Promise.all(
        jobs.map((job, at) =>
          at % 3 === 0
            ? made.another().fail(job, 1, FAILURE, LATER)
            : at % 3 === 1
              ? made.another().run(job, 1)
              : made.another().erase(job),
        ),
      );
      expect(await ids()).toEqual(['j1', 'j4']);
    });
  });
}
