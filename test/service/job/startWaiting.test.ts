/** Jobs that wait, on real records: who starts when a slot is freed, and what becomes of those that cannot. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../packages/contract/errors.ts';
import { generateRequestSchema, sampleRequestSchema } from '../../../packages/contract/requests.ts';
import { clearCutOff } from '../../../service/job/cutOff.ts';
import { cancelJob, eraseJob } from '../../../service/job/endJob.ts';
import { expireObjects } from '../../../service/job/expire.ts';
import { modelKey } from '../../../service/job/objectKeys.ts';
import { reconcileSlots } from '../../../service/job/reconcile.ts';
import { repeatJob } from '../../../service/job/repeatJob.ts';
import { startJob, startSample } from '../../../service/job/startJob.ts';
import { placeOf, startWaiting } from '../../../service/job/startWaiting.ts';
import { uploadFile } from '../../../service/job/uploadFile.ts';
import { METRICS, RECEIPT } from '../../support/jobFixtures.ts';
import { localService, smallFile, type TestService } from '../../support/localService.ts';

let service: TestService;
beforeEach(() => {
  service = localService();
  Object.assign(service.settings, { maxRunningJobs: 1 });
});
afterEach(() => service.close());

const upload = async (key = 'a') => (await uploadFile(service, key, smallFile())).job.id;
interface Asked {
  queue?: boolean;
  url?: string;
}
const start = async (id: string, key = 'a', { queue = true, url }: Asked = {}) => {
  const request = generateRequestSchema.parse({ job_id: id, target_col: 'x' });
  return (await startJob(service, key, request, url ?? null, { queue })).status;
};
/** A new job of the key, which starts or waits. */
async function asked(key = 'a'): Promise<string> {
  const id = await upload(key);
  await start(id, key);
  service.clock.forward(1 / 3600);
  return id;
}
const stateOf = async (id: string) => (await service.jobs.find(id))?.state;
const placed = async (id: string) => placeOf(service, (await service.jobs.find(id))!);
/** The attempt ends, and its slot is given back. */
async function finish(id: string, attempt = 1): Promise<void> {
  const at = service.clock.now().toISOString();
  await service.jobs.run(id, attempt);
  await service.jobs.finish(id, attempt, METRICS, RECEIPT, at);
  await service.jobs.freeSlot(`${id}#${attempt}`);
  await startWaiting(service);
}

describe('a request that may wait', () => {
  it('starts at once where a slot is free, and is queued where none is', async () => {
    const [first, second] = [await upload(), await upload()];
    expect([await start(first), await start(second)]).toEqual(['started', 'queued']);
    expect(await service.jobs.find(second)).toMatchObject({
      state: 'queued',
      attempt: 1,
      startedAt: null,
      queuedAt: '2026-11-03T09:00:00.000Z',
      request: { target_col: 'x', seed: expect.any(Number) },
      estimate: { seconds: expect.any(Number) },
    });
    expect(await service.jobs.slots()).toEqual([`${first}#1`]);
    expect(await service.jobs.counts()).toMatchObject({ active: 1, total: 2 });
    expect(await placed(second)).toEqual({ position: 1, seconds: expect.any(Number) });
    expect(await placed(first)).toBeUndefined();
  });

  it('is refused as before where it does not say so, and leaves nothing', async () => {
    await asked();
    const id = await upload();
    await expect(start(id, 'a', { queue: false })).rejects.toMatchObject({ params: { reason: 'slots_taken', max: 1 } });
    expect((await service.jobs.line()).jobs).toEqual([]);
  });

  it('goes before one that may not wait: that is refused although a slot is free', async () => {
    const [first, second] = [await asked(), await asked()];
    const bare = await upload('b');
    await service.jobs.fail(first, 1, { code: 'cancelled', params: { reason: 'cancelled' } }, 'now');
    await service.jobs.freeSlot(`${first}#1`);
    await expect(start(bare, 'b', { queue: false })).rejects.toMatchObject({
      code: 'capacity_exceeded',
      params: { reason: 'others_wait', waiting: 1 },
    });
    await startWaiting(service);
    expect(await stateOf(second)).toBe('started');
  });

  it('lets one pass that takes no slot from it: its key is at its own limit', async () => {
    Object.assign(service.settings, { maxRunningJobs: 2, maxRunningJobsPerKey: 1 });
    const [, second] = [await asked(), await asked()];
    expect(await start(await upload('b'), 'b', { queue: false })).toBe('started');
    expect(await stateOf(second)).toBe('queued');
  });

  it('is refused where the line is full, of all keys or of one, with when to come back', async () => {
    Object.assign(service.settings, { maxQueuedJobs: 3, maxQueuedJobsPerKey: 2 });
    for (const key of ['a', 'a', 'a']) await asked(key);
    await expect(start(await upload())).rejects.toMatchObject({ params: { reason: 'key_queue_full', max: 2 } });
    await asked('b');
    const refused = start(await upload('b'), 'b');
    await expect(refused).rejects.toMatchObject({
      params: { reason: 'queue_full', max: 3, seconds: expect.any(Number) },
    });
  });

  it('does not wait for memory that the machine does not have', async () => {
    service.capacity = { admit: async () => {}, release: () => {}, room: async () => ({ nowMb: 1, everMb: 1 }) };
    await service.jobs.takeSlot('other#1', 1);
    await expect(start(await upload())).rejects.toMatchObject({ params: { reason: 'memory_never_enough' } });
  });

  it('cannot be started or queued a second time', async () => {
    await asked();
    const id = await asked();
    for (const queue of [true, false]) {
      await expect(start(id, 'a', { queue })).rejects.toMatchObject({ code: 'job_conflict' });
    }
  });
});

describe('startWaiting', () => {
  it('starts one job for each slot that is freed, keys in turns, and each once', async () => {
    const first = await asked();
    const [a1, a2, b1] = [await asked('a'), await asked('a'), await asked('b')];
    const order: string[] = [];
    for (let running = first; ; ) {
      await Promise.all([finish(running), startWaiting(service), startWaiting(service)]);
      const [job] = await service.jobs.active();
      if (!job) break;
      order.push(job.id);
      running = job.id;
    }
    expect(order).toEqual([a1, b1, a2]);
    expect(service.submitted).toEqual([first, ...order].map((id) => `${id}#1`));
  });

  it('puts back a job that finds no compute, and starts it later as the same attempt', async () => {
    const [first, second] = [await asked(), await asked()];
    const { submit } = service.queue;
    service.queue.submit = async () => Promise.reject(new ServiceError({ reason: 'compute_unreachable', seconds: 1 }));
    await finish(first);
    expect(await service.jobs.find(second)).toMatchObject({ state: 'queued', attempt: 1, startedAt: null });
    expect(await service.jobs.slots()).toEqual([]);
    service.queue.submit = submit;
    await startWaiting(service);
    expect(await service.jobs.find(second)).toMatchObject({ state: 'started', attempt: 1 });
  });

  it('keeps to the stricter policy of an operator who has made one meanwhile', async () => {
    const [first, second] = [await asked(), await asked()];
    Object.assign(service.settings, { releasePolicy: { exact_copies: 0 } });
    await finish(first);
    expect((await service.jobs.find(second))?.request?.policy).toMatchObject({ exact_copies: 0 });
  });

  it('ends a job that this machine can never hold, and says why', async () => {
    const [first, second] = [await asked(), await asked()];
    service.capacity = { admit: async () => {}, release: () => {}, room: async () => ({ nowMb: 9, everMb: 10 }) };
    await finish(first);
    expect(await service.jobs.find(second)).toMatchObject({
      state: 'failed',
      error: { code: 'out_of_memory', params: { reason: 'machine_too_small', total_mb: 10 } },
    });
  });

  it('leaves a slot to be freed that was taken for a job by a process that has died', async () => {
    const [first, second] = [await asked(), await asked()];
    await service.jobs.fail(first, 1, { code: 'cancelled', params: { reason: 'cancelled' } }, 'now');
    await service.jobs.freeSlot(`${first}#1`);
    await service.jobs.takeSlot(`${second}#1`, 1);
    await startWaiting(service);
    expect(await stateOf(second)).toBe('queued');
    const pending = new Map<string, number>();
    await reconcileSlots(service, pending);
    service.clock.forward(1);
    await reconcileSlots(service, pending);
    await startWaiting(service);
    expect(await stateOf(second)).toBe('started');
  });
});

describe('a job that waits', () => {
  it('fails when it is cancelled, is called for, and can be started again', async () => {
    await asked();
    const id = await upload();
    await start(id, 'a', { url: 'https://example.org/called' });
    await cancelJob(service, 'a', id);
    expect(await service.jobs.find(id)).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'cancelled' } });
    expect(await service.callbacks.find(id)).toMatchObject({ attempt: 1, state: 'waiting' });
    expect((await service.jobs.line()).jobs).toEqual([]);
    expect(await start(id)).toBe('queued');
    expect((await service.jobs.find(id))?.attempt).toBe(2);
  });

  it('goes when it is erased, and those behind it move up', async () => {
    const [, second, third] = [await asked(), await asked(), await asked()];
    expect(await placed(third)).toMatchObject({ position: 2 });
    await eraseJob(service, 'a', second);
    expect(await placed(third)).toMatchObject({ position: 1 });
    expect(await service.objects.list(`jobs/${second}/`)).toEqual([]);
  });

  it('keeps its upload and its record however long it waits', async () => {
    await asked();
    const id = await asked();
    Object.assign(service.settings, { resultRetentionHours: 24 });
    for (let day = 0; day < 4; day++) {
      service.clock.forward(24);
      await clearCutOff(service);
      await expireObjects(service);
    }
    expect(await stateOf(id)).toBe('queued');
    expect(await service.objects.list(`jobs/${id}/`)).toHaveLength(3);
  });

  it('can be repeated', async () => {
    await asked();
    const id = await asked();
    const made = await repeatJob(service, (await service.jobs.find(id))!);
    expect(made.state).toBe('uploaded');
  });
});

describe('a sample that may wait', () => {
  it('waits as a job of its own, and goes with its source', async () => {
    const source = await asked();
    await finish(source);
    await service.objects.put(modelKey(source, 1), Buffer.from('{}'));
    await asked('b');
    const job = (await service.jobs.find(source))!;
    const request = sampleRequestSchema.parse({ rows: 10, queue: true });
    const { status, jobId } = await startSample(service, job, request);
    expect([status, await stateOf(jobId)]).toEqual(['queued', 'queued']);
    await expect(startSample(service, job, { ...request, queue: false })).rejects.toMatchObject({
      code: 'capacity_exceeded',
    });
    await clearCutOff(service);
    expect(await placed(jobId)).toMatchObject({ position: 1, seconds: expect.any(Number) });
    await eraseJob(service, 'a', source);
    expect(await stateOf(jobId)).toBeUndefined();
    expect((await service.jobs.line()).jobs).toEqual([]);
  });
});
