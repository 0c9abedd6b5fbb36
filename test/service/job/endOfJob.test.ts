/** How jobs are cancelled and erased, and slots freed. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancelJob, eraseJob } from '../../../service/job/endJob.ts';
import { slotOf } from '../../../service/job/job.ts';
import { resultKey, uploadKeys } from '../../../service/job/objectKeys.ts';
import { PENDING_MS, reconcileSlots } from '../../../service/job/reconcile.ts';
import { uploadFile } from '../../../service/job/uploadFile.ts';
import { METRICS, RECEIPT, requestFor } from '../../support/jobFixtures.ts';
import { localService, smallFile, type TestService } from '../../support/localService.ts';

const FAILURE = { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } } as const;

let service: TestService;
let cancelled: string[];
beforeEach(() => {
  service = localService();
  cancelled = [];
  service.queue.cancel = async (jobId, attempt) => void cancelled.push(slotOf(jobId, attempt));
});
afterEach(() => service.close());

const now = () => service.clock.now().toISOString();
const upload = async () => (await uploadFile(service, 'key-1', smallFile())).job.id;

async function running(): Promise<string> {
  const id = await upload();
  await service.jobs.takeSlot(slotOf(id, 1), 100);
  await service.jobs.start(id, 1, requestFor(id), now());
  await service.jobs.run(id, 1);
  return id;
}

async function done(): Promise<string> {
  const id = await running();
  await service.objects.put(resultKey(id, 1), new Uint8Array(4));
  await service.jobs.finish(id, 1, METRICS, RECEIPT, now());
  await service.jobs.freeSlot(slotOf(id, 1));
  return id;
}

describe('cancelJob', () => {
  it('ends a running job as cancelled, with its compute, and frees its slot', async () => {
    const id = await running();
    await cancelJob(service, 'key-1', id);
    expect(await service.jobs.find(id)).toMatchObject({ state: 'failed', error: { code: 'cancelled' } });
    expect(await service.jobs.slots()).toEqual([]);
    expect(cancelled).toEqual([`${id}#1`]);
    expect(service.entries.at(-1)).toMatchObject({ event: 'job_failed', fields: { job_id: id, code: 'cancelled' } });
  });

  it('says conflict where nothing runs', async () => {
    for (const id of [await upload(), await done()]) {
      await expect(cancelJob(service, 'key-1', id)).rejects.toMatchObject({ code: 'job_conflict' });
    }
  });

  it('knows no job of another key', async () => {
    const id = await running();
    await expect(cancelJob(service, 'key-2', id)).rejects.toMatchObject({ code: 'invalid_job' });
    expect((await service.jobs.find(id))?.state).toBe('running');
  });
});

describe('eraseJob', () => {
  it.each([
    ['uploaded', upload],
    ['running', running],
    ['done', done],
  ])('leaves nothing of a job that is %s', async (_, make) => {
    const kept = await upload();
    const id = await make();
    await eraseJob(service, 'key-1', id);
    expect(await service.jobs.find(id)).toBeUndefined();
    expect(await service.objects.list('')).toEqual(uploadKeys(kept).sort());
    expect(await service.jobs.slots()).toEqual([]);
    expect(await service.jobs.counts()).toEqual({ active: 0, total: 1 });
  });

  it('ends the compute of a running job', async () => {
    const id = await running();
    await eraseJob(service, 'key-1', id);
    expect(cancelled).toEqual([`${id}#1`]);
  });

  it('knows no job of another key, and none that is erased', async () => {
    const id = await upload();
    await expect(eraseJob(service, 'key-2', id)).rejects.toMatchObject({ code: 'invalid_job' });
    await eraseJob(service, 'key-1', id);
    await expect(eraseJob(service, 'key-1', id)).rejects.toMatchObject({ code: 'invalid_job' });
  });
});

describe('reconcileSlots', () => {
  it('frees at once the slots of attempts that are over, or whose job is gone, and no others', async () => {
    const active = await running();
    const failed = await running();
    await service.jobs.fail(failed, 1, FAILURE, now());
    const erased = await running();
    await service.jobs.erase(erased);
    const pending = new Map<string, number>();
    expect((await reconcileSlots(service, pending)).sort()).toEqual([slotOf(failed, 1), slotOf(erased, 1)].sort());
    expect(await service.jobs.slots()).toEqual([slotOf(active, 1)]);
    expect(await reconcileSlots(service, pending)).toEqual([]);
  });

  it('frees the slot of an earlier attempt while the next one runs', async () => {
    const id = await running();
    await service.jobs.fail(id, 1, FAILURE, now());
    await service.jobs.takeSlot(slotOf(id, 2), 100);
    await service.jobs.start(id, 2, requestFor(id), now());
    expect(await reconcileSlots(service, new Map())).toEqual([slotOf(id, 1)]);
    expect(await service.jobs.slots()).toEqual([slotOf(id, 2)]);
  });

  it('gives a request time between taking its slot and starting its job, and not for ever', async () => {
    const id = await upload();
    await service.jobs.takeSlot(slotOf(id, 1), 3);
    const pending = new Map<string, number>();
    expect(await reconcileSlots(service, pending)).toEqual([]);
    service.clock.forward((PENDING_MS - 1) / 3_600_000);
    expect(await reconcileSlots(service, pending)).toEqual([]);
    service.clock.forward(2 / 3_600_000);
    expect(await reconcileSlots(service, pending)).toEqual([slotOf(id, 1)]);
    expect(pending.size).toBe(0);
  });
});
