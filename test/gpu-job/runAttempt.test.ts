import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AttemptRun, runAttempt } from '../../gpu-job/runAttempt.ts';
import type { JobRun } from '../../gpu-job/runJob.ts';
import { JobError, ServiceError } from '../../packages/contract/errors.ts';
import { EXIT } from '../../service/job/failures.ts';
import { modelKey, resultKey } from '../../service/job/objectKeys.ts';
import { AT, LATER, METRICS, newJob, RECEIPT, requestFor, SOFTWARE } from '../support/jobFixtures.ts';
import { localService, type TestService } from '../support/localService.ts';

const ID = 'a';

describe('runAttempt', () => {
  let service: TestService;
  let stopping: AbortController;
  beforeEach(async () => {
    service = localService();
    stopping = new AbortController();
    await service.jobs.create(newJob(ID));
    await service.jobs.takeSlot(`${ID}#1`, 3);
    await service.jobs.start(ID, 1, requestFor(ID), AT);
  });
  afterEach(() => service.close());

  const attempt = (pipeline: AttemptRun['pipeline']): AttemptRun => ({
    ...service,
    software: SOFTWARE,
    jobId: ID,
    attempt: 1,
    signal: stopping.signal,
    pipeline,
  });

  async function write({ objects }: JobRun): Promise<void> {
    await objects.put(resultKey(ID, 1), new Uint8Array(4));
    await objects.put(modelKey(ID, 1), new Uint8Array(4));
  }

  async function finish(run: JobRun): Promise<void> {
    await write(run);
    await run.jobs.finish(ID, 1, METRICS, RECEIPT, LATER);
  }

  const objects = () => service.objects.list('');
  const job = () => service.jobs.find(ID);

  it('runs the pipeline, says that the job is done, and frees its slot', async () => {
    expect(await runAttempt(attempt(finish))).toBe(EXIT.done);
    expect(await job()).toMatchObject({ state: 'done', error: null });
    expect(await objects()).toHaveLength(2);
    expect(await service.jobs.slots()).toEqual([]);
    expect(service.entries.map(({ event }) => event)).toEqual(['job_running', 'job_done']);
  });

  it.each<[unknown, string]>([
    [new JobError({ reason: 'source_erased' }), 'invalid_data'],
    [new ServiceError({ reason: 'disk_full' }), 'storage_full'],
    [new ServiceError({ reason: 'data_folder_unavailable' }), 'storage_unavailable'],
    [new RangeError('Array buffer allocation failed'), 'out_of_memory'],
    [new TypeError('a secret cell is not a function'), 'internal_error'],
    ['a string', 'internal_error'],
  ])('records %s as %s, leaves no object and no slot, and logs no cell', async (thrown, code) => {
    const run = attempt(async (inner) => {
      await write(inner);
      throw thrown;
    });
    expect(await runAttempt(run)).toBe(EXIT.failed);
    expect(await job()).toMatchObject({ state: 'failed', error: { code } });
    expect(await objects()).toEqual([]);
    expect(await service.jobs.slots()).toEqual([]);
    expect(JSON.stringify([service.entries, await job()])).not.toContain('secret');
  });

  it('is interrupted where the process is asked to stop, without waiting for the pipeline', async () => {
    const running = runAttempt(attempt(() => new Promise(() => {})));
    stopping.abort();
    expect(await running).toBe(EXIT.failed);
    expect(await job()).toMatchObject({ error: { code: 'interrupted' } });
  });

  it('stays done where the record cannot be read, or the process is stopped, once it is done', async () => {
    const find = vi
      .spyOn(service.jobs, 'find')
      .mockRejectedValueOnce(new ServiceError({ reason: 'data_folder_unavailable' }));
    expect(await runAttempt(attempt(finish))).toBe(EXIT.done);
    expect(find).toHaveBeenCalledTimes(2);
    expect(await job()).toMatchObject({ state: 'done', error: null });
    expect(await objects()).toHaveLength(2);
    expect(await service.jobs.slots()).toEqual([]);
  });

  it('touches nothing where the attempt is over, or runs already', async () => {
    await service.jobs.run(ID, 1);
    await write(attempt(finish));
    expect(await runAttempt(attempt(finish))).toBe(EXIT.over);
    expect((await job())?.state).toBe('running');
    expect(await objects()).toHaveLength(2);
    expect(await service.jobs.slots()).toEqual([`${ID}#1`]);
  });

  it('erases what it made where the attempt was ended meanwhile, and leaves the record as it is', async () => {
    const run = attempt(async (inner) => {
      await write(inner);
      await service.jobs.fail(ID, 1, { code: 'cancelled', params: { reason: 'cancelled' } }, LATER);
      throw new JobError({ reason: 'cancelled' });
    });
    expect(await runAttempt(run)).toBe(EXIT.over);
    expect(await job()).toMatchObject({ error: { code: 'cancelled', params: { reason: 'cancelled' } } });
    expect(await objects()).toEqual([]);
  });

  it('keeps the result of a job that is done, whatever fails afterwards', async () => {
    const run = attempt(async (inner) => {
      await finish(inner);
      throw new Error('too late to matter');
    });
    await runAttempt(run);
    expect((await job())?.state).toBe('done');
    expect(await objects()).toHaveLength(2);
  });

  it('fails a job whose pipeline ends without finishing it', async () => {
    expect(await runAttempt(attempt(async () => {}))).toBe(EXIT.failed);
    expect(await job()).toMatchObject({ error: { code: 'internal_error' } });
  });

  it.each([
    [new ServiceError({ reason: 'disk_full' }), EXIT.storageFull],
    [new ServiceError({ reason: 'data_folder_unavailable' }), EXIT.storageUnavailable],
    [new Error('unknown'), EXIT.unrecorded],
  ])('tells by its exit code what the record could not be told: %s', async (error, code) => {
    service.jobs.fail = async () => Promise.reject(error);
    const failing = attempt(async () => Promise.reject(new JobError({ reason: 'source_erased' })));
    expect(await runAttempt(failing)).toBe(code);
  });
});
