import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../packages/contract/errors.ts';
import { type GenerateRequestBody, generateRequestSchema } from '../../../packages/contract/requests.ts';
import type { Attempt } from '../../../service/job/job.ts';
import { jobPrefix } from '../../../service/job/objectKeys.ts';
import { startJob } from '../../../service/job/startJob.ts';
import { detectTargetFamily, uploadFile } from '../../../service/job/uploadFile.ts';
import { RETRY_AFTER_SECONDS } from '../../../service/service.ts';
import { AT, LATER, METRICS, RECEIPT } from '../../support/jobFixtures.ts';
import { localService, smallFile, type TestService } from '../../support/localService.ts';
import { saying } from '../../support/problems.ts';

const FAILURE = { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } } as const;

describe('startJob', () => {
  let service: TestService;
  beforeEach(() => {
    service = localService();
  });
  afterEach(() => service.close());

  const upload = async () => (await uploadFile(service, 'key-1', smallFile())).job.id;
  const start = (jobId: string, body: Partial<GenerateRequestBody> = { target_col: 'x' }, keyId = 'key-1') =>
    startJob(service, keyId, generateRequestSchema.parse({ job_id: jobId, ...body }));

  it('takes a slot, writes the request, hands over, and logs it', async () => {
    const id = await upload();
    expect(await start(id, { target_col: 'x', seed: 5, family: 'student_t' })).toEqual({
      status: 'started',
      attempt: 1,
      keys: [],
    });
    expect(await service.jobs.find(id)).toMatchObject({
      state: 'started',
      attempt: 1,
      startedAt: '2026-11-03T09:00:00.000Z',
      request: { target_col: 'x', seed: 5, family: 'student_t', n_samples: 3000 },
    });
    expect(await service.jobs.slots()).toEqual([`${id}#1`]);
    expect(service.submitted).toEqual([`${id}#1`]);
    expect(service.entries.at(-1)).toMatchObject({ event: 'job_started', fields: { job_id: id, attempt: 1 } });
  });

  it('records a seed where the request leaves it out, and leaves the choice of a family to the job', async () => {
    const id = await upload();
    await start(id);
    const request = (await service.jobs.find(id))?.request;
    expect(request).toMatchObject({ family: 'auto', seed: expect.any(Number) });
    expect(Number.isSafeInteger(request?.seed)).toBe(true);
  });

  it('refuses a family that cannot hold the target, and leaves the job as it was', async () => {
    const id = await upload();
    await expect(start(id, { target_col: 'x', family: 'gamma' })).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
    expect((await service.jobs.find(id))?.state).toBe('uploaded');
    expect(await service.jobs.slots()).toEqual([]);
  });

  it('gives a key no more slots than it may have, whatever comes at once, and others those that are free', async () => {
    Object.assign(service.settings, { maxRunningJobsPerKey: 1 });
    const ids = [await upload(), await upload(), await upload()];
    const started = await Promise.allSettled(ids.map((id) => start(id)));
    expect((await service.jobs.slots()).length).toBeLessThanOrEqual(1);
    const refusals = started.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refusals.length).toBeGreaterThanOrEqual(2);
    for (const refused of refusals) {
      expect(refused).toMatchObject({ code: 'capacity_exceeded', params: { reason: 'key_slots_taken', max: 1 } });
    }
    if (refusals.length === ids.length) await start(ids[0]!);
    const { job } = await uploadFile(service, 'key-2', smallFile());
    await start(job.id, { target_col: 'x' }, 'key-2');
    expect(await service.jobs.slots()).toHaveLength(2);
  });

  it('leaves nothing of a job that the machine has no memory for, and asks with its estimate', async () => {
    const asked: [Attempt, number][] = [];
    const released: Attempt[] = [];
    service.capacity = {
      admit: async ({ jobId, attempt }, memoryMb) => {
        asked.push([{ jobId, attempt }, memoryMb]);
        throw new ServiceError({ reason: 'memory_short', needed_mb: memoryMb, available_mb: 1, seconds: 5 });
      },
      release: ({ jobId, attempt }) => void released.push({ jobId, attempt }),
      room: async () => ({ nowMb: 1, everMb: 8000 }),
    };
    const id = await upload();
    await expect(start(id)).rejects.toMatchObject({ code: 'capacity_exceeded', params: saying('1 MB are available') });
    expect(asked).toEqual([[{ jobId: id, attempt: 1 }, expect.any(Number)]]);
    expect(asked[0]?.[1]).toBeGreaterThan(200);
    expect(released).toEqual([{ jobId: id, attempt: 1 }]);
    expect(await service.jobs.slots()).toEqual([]);
    expect((await service.jobs.find(id))?.state).toBe('uploaded');
  });

  it('makes another seed for another job, and keeps a seed of 0', async () => {
    const ids = [await upload(), await upload(), await upload()];
    await start(ids[0]!);
    await start(ids[1]!);
    await start(ids[2]!, { target_col: 'x', seed: 0 });
    const seeds = await Promise.all(ids.map(async (id) => (await service.jobs.find(id))?.request?.seed));
    expect(seeds[0]).not.toBe(seeds[1]);
    expect(seeds[2]).toBe(0);
  });

  it('leaves the family open for text alone, which has no target', async () => {
    const id = await upload();
    await start(id, { text_cols: ['t'] });
    expect((await service.jobs.find(id))?.request).toMatchObject({ family: 'auto', target_col: null });
  });

  it('knows no job of another key, and none that is not there', async () => {
    const id = await upload();
    for (const [job, key] of [
      [id, 'key-2'],
      ['absent', 'key-1'],
      ['__proto__', 'key-1'],
    ] as const) {
      await expect(start(job, { target_col: 'x' }, key)).rejects.toMatchObject({ code: 'invalid_job' });
    }
  });

  it.each(['started', 'running', 'done'])('says conflict for a job that is %s', async (state) => {
    const id = await upload();
    await start(id);
    if (state !== 'started') await service.jobs.run(id, 1);
    if (state === 'done') await service.jobs.finish(id, 1, METRICS, RECEIPT, LATER);
    await expect(start(id)).rejects.toMatchObject({ code: 'job_conflict' });
    expect(service.submitted).toHaveLength(1);
  });

  it('says what is wrong with the request before it says conflict, and conflict before capacity', async () => {
    const id = await upload();
    await start(id);
    await expect(start(id, { target_col: 'absent' })).rejects.toMatchObject({ code: 'column_not_found' });
    await start(await upload());
    await start(await upload());
    await expect(start(id)).rejects.toMatchObject({ code: 'job_conflict' });
  });

  it('starts a failed job again, as its next attempt', async () => {
    const id = await upload();
    await start(id);
    await service.jobs.fail(id, 1, FAILURE, LATER);
    await service.jobs.freeSlot(`${id}#1`);
    expect(await start(id)).toMatchObject({ attempt: 2 });
    expect(service.submitted).toEqual([`${id}#1`, `${id}#2`]);
  });

  it('refuses a fourth job with Retry-After, and leaves it as it was', async () => {
    for (let i = 0; i < 3; i++) await start(await upload());
    const fourth = await upload();
    await expect(start(fourth)).rejects.toMatchObject({
      code: 'capacity_exceeded',
      params: { seconds: RETRY_AFTER_SECONDS },
    });
    expect((await service.jobs.find(fourth))?.state).toBe('uploaded');
    expect(await service.jobs.slots()).toHaveLength(3);
  });

  it('says conflict where another request is starting the same job', async () => {
    const id = await upload();
    await service.jobs.takeSlot(`${id}#1`, 3);
    await expect(start(id)).rejects.toMatchObject({ code: 'job_conflict' });
  });

  it('gives the slot back where the job was started by another request meanwhile', async () => {
    const id = await upload();
    service.jobs.start = async () => false;
    service.jobs.find = async (jobId) => ({ ...(await realFind(jobId))!, state: 'running', attempt: 1 });
    const realFind = Object.getPrototypeOf(service.jobs).find.bind(service.jobs);
    await expect(start(id)).rejects.toMatchObject({ code: 'job_conflict' });
    expect(await service.jobs.slots()).toEqual([]);
  });

  it('asks to try again where its slot was freed before the job had started', async () => {
    const id = await upload();
    const take = service.jobs.takeSlot.bind(service.jobs);
    service.jobs.takeSlot = async (slot, limit) => {
      const outcome = await take(slot, limit);
      await service.jobs.freeSlot(slot);
      return outcome;
    };
    await expect(start(id)).rejects.toMatchObject({ code: 'capacity_exceeded' });
    expect((await service.jobs.find(id))?.state).toBe('uploaded');
  });

  it('gives everything back where the queue does not take the job', async () => {
    const id = await upload();
    const refusal = new ServiceError({ reason: 'slots_taken', max: 3, seconds: 5 });
    service.queue.submit = async () => Promise.reject(refusal);
    await expect(start(id)).rejects.toBe(refusal);
    expect(await service.jobs.find(id)).toMatchObject({ state: 'failed', error: { code: 'interrupted' } });
    expect(await service.jobs.slots()).toEqual([]);
  });

  it('gives the slot back where the record cannot be written', async () => {
    const id = await upload();
    const full = new ServiceError({ reason: 'disk_full' });
    service.jobs.start = async () => Promise.reject(full);
    await expect(start(id)).rejects.toBe(full);
    expect(await service.jobs.slots()).toEqual([]);
  });

  it('says that the upload is gone where it has been erased, but conflict where the job is done', async () => {
    const [gone, done] = [await upload(), await upload()];
    await start(done);
    await service.jobs.run(done, 1);
    await service.jobs.finish(done, 1, METRICS, RECEIPT, AT);
    for (const id of [gone, done]) await service.objects.erase(jobPrefix(id));
    await expect(start(gone)).rejects.toMatchObject({
      code: 'invalid_job',
      params: saying('24 hours'),
    });
    await expect(start(done)).rejects.toMatchObject({ code: 'job_conflict' });
  });
});

describe('detectTargetFamily', () => {
  let service: TestService;
  beforeEach(() => {
    service = localService();
  });
  afterEach(() => service.close());

  it('reads the profile and not the file', async () => {
    const { job } = await uploadFile(service, 'key-1', smallFile());
    await service.objects.erase(`${jobPrefix(job.id)}upload`);
    expect(await detectTargetFamily(service, 'key-1', job.id, 'x')).toMatchObject({ family: expect.any(String) });
  });

  it('takes a column of two labels for a target of labels', async () => {
    const { job } = await uploadFile(service, 'key-1', smallFile());
    expect(await detectTargetFamily(service, 'key-1', job.id, 'c')).toMatchObject({ family: 'bernoulli' });
  });

  it.each([
    ['absent', 'column_not_found'],
    ['', 'column_not_found'],
  ])('refuses the column %j with %s', async (name, code) => {
    const { job } = await uploadFile(service, 'key-1', smallFile());
    await expect(detectTargetFamily(service, 'key-1', job.id, name)).rejects.toMatchObject({ code });
  });

  it('knows no job of another key', async () => {
    const { job } = await uploadFile(service, 'key-1', smallFile());
    await expect(detectTargetFamily(service, 'key-2', job.id, 'x')).rejects.toMatchObject({ code: 'invalid_job' });
  });
});
