/** What every JobQueue does with the process of a job. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isActive, type Job, slotOf } from '../../service/job/job.ts';
import type { JobQueue, JobStore } from '../../service/ports.ts';
import { AT, newJob, requestFor } from '../support/jobFixtures.ts';
import { until } from './made.ts';

/**
 * A queue whose jobs do what the name of their file says: `finish`, `crash` (end without a word), `memory` (take more
 * than there is), `hang` (compute for ever), `wait` (for ever, idle).
 */
export interface MadeQueue {
  queue: JobQueue;
  jobs: JobStore;
  dispose(): Promise<void>;
}

export function jobQueueSuite(name: string, makeQueue: () => Promise<MadeQueue>): void {
  describe(`JobQueue: ${name}`, () => {
    let made: MadeQueue;
    beforeEach(async () => {
      made = await makeQueue();
    });
    afterEach(() => made.dispose());

    async function submitted(id: string, behaviour: string): Promise<void> {
      await made.jobs.create(newJob(id, behaviour));
      await made.jobs.takeSlot(slotOf(id, 1), 100);
      await made.jobs.start(id, 1, requestFor(id), AT);
      await made.queue.submit(id, 1);
    }

    const ended = (id: string): Promise<Job> =>
      until(`the end of ${id}`, async () => {
        const job = await made.jobs.find(id);
        return job && !isActive(job.state) && !(await made.jobs.slots()).includes(slotOf(id, 1)) && job;
      });

    it('runs a submitted attempt to its end and frees its slot', async () => {
      await submitted('a', 'finish');
      expect(await ended('a')).toMatchObject({ state: 'done', error: null });
    });

    it('runs an attempt once, however often it is submitted', async () => {
      await submitted('a', 'finish');
      await made.queue.submit('a', 1);
      const job = await ended('a');
      expect(job).toMatchObject({ state: 'done', progress: [{ fact: 'finished' }] });
    });

    it('fails the job whose process ends without a word, and no other', async () => {
      await Promise.all([submitted('bad', 'crash'), submitted('good', 'finish')]);
      expect(await ended('bad')).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
      expect(await ended('good')).toMatchObject({ state: 'done' });
    });

    it('ends the compute of a cancelled attempt', async () => {
      await submitted('a', 'hang');
      await until('the job to run', async () => (await made.jobs.find('a'))?.state === 'running');
      await made.jobs.fail('a', 1, { code: 'cancelled', params: { reason: 'cancelled' } }, AT);
      await made.queue.cancel('a', 1);
      await made.queue.cancel('a', 1);
      expect(await ended('a')).toMatchObject({ state: 'failed', error: { code: 'cancelled' } });
    });

    it('cancels what it does not have without complaint', async () => {
      await made.queue.cancel('absent', 1);
    });
  });
}
