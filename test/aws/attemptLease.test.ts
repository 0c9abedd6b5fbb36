/** One process at a time runs an attempt, whatever Batch starts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Runner, runnerName } from '../../adapters/aws/awsSettings.ts';
import { DynamoJobStore } from '../../adapters/aws/dynamoJobStore.ts';
import { AttemptLease } from '../../adapters/aws/runOnBatch.ts';
import { slotOf } from '../../service/job/job.ts';
import { AT, eventOf, LATER, METRICS, newJob, RECEIPT, requestFor } from '../support/jobFixtures.ts';
import { makeTable, type TestTable } from './support/storage.ts';

const TIMES = { beatMs: 50, lostMs: 200, quietMs: 400 };

let testTable: TestTable;
beforeAll(async () => {
  testTable = await makeTable();
});
afterAll(() => testTable.remove());

let made = 0;

/** A started job, and what processes see of it. */
async function startedJob() {
  const id = `job-${made++}`;
  const api = new DynamoJobStore(testTable.handle());
  await api.create(newJob(id));
  await api.takeSlot(slotOf(id, 1), 100);
  await api.start(id, 1, requestFor(id), AT);
  const processOf = (batchJobId: string, run: number, attempt = 1) => {
    const runner: Runner = { batchJobId, run };
    const table = testTable.handle();
    const jobs = new DynamoJobStore(table, runnerName(runner));
    const lease = new AttemptLease({ table, jobs, runner, attempt: { jobId: id, attempt }, times: TIMES });
    return { jobs, lease, claim: () => lease.claim(AbortSignal.timeout(10_000)) };
  };
  return { id, api, processOf };
}

describe('AttemptLease', () => {
  it('lets the first process of two Batch jobs run the attempt, and tells the other that it is over', async () => {
    const { api, id, processOf } = await startedJob();
    const claims = await Promise.all([processOf('b-1', 1).claim(), processOf('b-2', 1).claim()]);
    expect(claims.sort()).toEqual([false, true]);
    expect(await processOf('b-3', 1).claim()).toBe(false);
    expect((await api.find(id))?.state).toBe('running');
  });

  it('hands an attempt back to be run from the beginning, and refuses what the former process writes', async () => {
    const { api, id, processOf } = await startedJob();
    const [one, two] = [processOf('b-1', 1), processOf('b-1', 2)];
    await one.claim();
    await one.jobs.addEvents(id, 1, [eventOf(1)]);
    expect(await one.lease.handBack()).toBe(true);
    expect(await api.find(id)).toMatchObject({ state: 'started', attempt: 1, progress: [] });
    expect(await one.jobs.addEvents(id, 1, [eventOf(2)])).toBe(false);
    expect(await two.claim()).toBe(true);
    expect(await one.jobs.addEvents(id, 1, [eventOf(2)])).toBe(false);
    expect(await one.jobs.finish(id, 1, METRICS, RECEIPT, LATER)).toBe(false);
    expect(
      await one.jobs.fail(id, 1, { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } }, LATER),
    ).toBe(false);
    expect(await one.lease.beat()).toBe(false);
    expect(await one.lease.handBack()).toBe(false);
    await two.jobs.addEvents(id, 1, [eventOf(3)]);
    expect(await two.jobs.finish(id, 1, METRICS, RECEIPT, LATER)).toBe(true);
    expect(await api.find(id)).toMatchObject({ state: 'done', progress: [eventOf(3)] });
  });

  it('takes over from a process that was killed, when nothing was heard of it for long enough', async () => {
    const { api, id, processOf } = await startedJob();
    const [one, two] = [processOf('b-1', 1), processOf('b-1', 2)];
    await one.claim();
    await one.jobs.addEvents(id, 1, [eventOf(1)]);
    const began = performance.now();
    expect(await two.claim()).toBe(true);
    expect(performance.now() - began).toBeGreaterThanOrEqual(TIMES.quietMs);
    expect(await one.lease.beat()).toBe(false);
    expect(await one.jobs.finish(id, 1, METRICS, RECEIPT, LATER)).toBe(false);
    expect(await api.find(id)).toMatchObject({ state: 'running', progress: [] });
    expect(await two.jobs.run(id, 1)).toBe(true);
  });

  it('does not take over from a process that is there still', async () => {
    const { processOf } = await startedJob();
    const [one, two] = [processOf('b-1', 1), processOf('b-1', 2)];
    await one.claim();
    let taken = false;
    const claiming = two.claim().then((got) => {
      taken = got;
    });
    for (let i = 0; i < 25; i++) {
      await sleep(TIMES.beatMs);
      expect([await one.lease.beat(), taken]).toEqual([true, false]);
    }
    expect(await one.lease.handBack()).toBe(true);
    await claiming;
    expect(taken).toBe(true);
  });

  it('never takes over from another Batch job, or from a later run of its own', async () => {
    const { processOf } = await startedJob();
    await processOf('b-1', 2).claim();
    expect(await processOf('b-2', 3).claim()).toBe(false);
    expect(await processOf('b-1', 1).claim()).toBe(false);
  });

  it('stops waiting when its own machine goes', async () => {
    const { processOf } = await startedJob();
    await processOf('b-1', 1).claim();
    await expect(processOf('b-1', 2).lease.claim(AbortSignal.timeout(50))).rejects.toThrow();
  });

  it('ends with the attempt: a cancelled one is neither kept, handed back nor claimed', async () => {
    const { api, id, processOf } = await startedJob();
    const one = processOf('b-1', 1);
    await one.claim();
    await api.fail(id, 1, { code: 'cancelled', params: { reason: 'cancelled' } }, LATER);
    expect([await one.lease.beat(), await one.lease.handBack(), await processOf('b-1', 2).claim()]).toEqual([
      false,
      false,
      false,
    ]);
    await api.freeSlot(slotOf(id, 1));
    await api.takeSlot(slotOf(id, 2), 100);
    await api.start(id, 2, requestFor(id), AT);
    expect(await processOf('b-1', 2).claim()).toBe(false);
    expect(await processOf('b-9', 1, 2).claim()).toBe(true);
  });
});
