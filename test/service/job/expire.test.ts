import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expireObjects, MAX_STEP_MS, SETTLE_MS } from '../../../service/job/expire.ts';
import { slotOf } from '../../../service/job/job.ts';
import { resultKey, uploadKey, uploadKeys } from '../../../service/job/objectKeys.ts';
import { uploadFile } from '../../../service/job/uploadFile.ts';
import { METRICS, RECEIPT, requestFor } from '../../support/jobFixtures.ts';
import { localService, smallFile, type TestService } from '../../support/localService.ts';

const FAILURE = { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } } as const;
const HOUR_MS = 3_600_000;

let service: TestService;
beforeEach(() => {
  service = localService();
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

describe('expireObjects', () => {
  const expire = () => expireObjects(service);

  it('keeps everything until its time has come', async () => {
    await upload();
    await done();
    const before = await service.objects.list('');
    service.clock.forward(23.9);
    await expire();
    expect(await service.objects.list('')).toEqual(before);
  });

  it('erases upload and profile a day after the job ended, and keeps the result', async () => {
    const id = await done();
    service.clock.forward(24.1);
    await expire();
    expect(await service.objects.list('')).toEqual([resultKey(id, 1)]);
    expect((await service.jobs.find(id))?.state).toBe('done');
  });

  it('erases an upload that was never started a day after it came, and keeps its record', async () => {
    const id = await upload();
    service.clock.forward(24.1);
    await expire();
    expect(await service.objects.list('')).toEqual([]);
    expect((await service.jobs.find(id))?.state).toBe('uploaded');
  });

  it('counts from the end and not from the upload', async () => {
    const id = await running();
    service.clock.forward(30);
    await service.jobs.fail(id, 1, FAILURE, now());
    service.clock.forward(1);
    await expire();
    expect(await service.objects.list('')).toContain(uploadKey(id));
  });

  it('touches no active job, however old', async () => {
    const id = await running();
    service.clock.forward(10_000);
    await expire();
    expect(await service.objects.list('')).toEqual(uploadKeys(id).sort());
  });

  it('erases the result and the record after 30 days', async () => {
    const id = await done();
    service.clock.forward(720.1);
    await expire();
    expect(await service.objects.list('')).toEqual([]);
    expect(await service.jobs.find(id)).toBeUndefined();
  });

  it('keeps an upload longer than its result where the settings say so', async () => {
    const id = await done();
    service.settings = { ...service.settings, uploadRetentionHours: 100, resultRetentionHours: 10 };
    service.clock.forward(11);
    await expire();
    expect(await service.objects.list('')).toEqual(uploadKeys(id).sort());
  });

  /** An object of no record, put at the present of the test's clock. */
  async function putOrphan(): Promise<string> {
    const key = uploadKey('unknown');
    await service.objects.put(key, new Uint8Array(4));
    const at = service.clock.now();
    utimesSync(join(service.folder, 'objects', key), at, at);
    return key;
  }

  it('keeps objects that no record knows for two weeks, whatever was started again meanwhile', async () => {
    const orphan = await putOrphan();
    const kept = await upload();
    service.settings = { ...service.settings, uploadRetentionHours: 10_000 };
    for (let hours = 0; hours < 335; hours += 24) {
      await expire();
      service.clock.forward(24);
    }
    service.clock.forward(-1.1);
    await expire();
    expect(await service.objects.list('')).toContain(orphan);
    service.clock.forward(1.2);
    await expire();
    expect(await service.objects.list('')).toEqual(uploadKeys(kept).sort());
  });
});

describe('a clock that is set', () => {
  const expire = () => expireObjects(service);
  const isThere = async (id: string) => (await service.objects.list('')).includes(resultKey(id, 1));

  it('far ahead erases nothing, and nothing is lost when it is set right within a day', async () => {
    const id = await done();
    await expire();
    service.clock.forward(400 * 24);
    await expire();
    service.clock.forward(SETTLE_MS / HOUR_MS - 0.1);
    await expire();
    expect(await isThere(id)).toBe(true);
    service.clock.forward(-401 * 24);
    await expire();
    expect(await isThere(id)).toBe(true);
    expect(service.entries.filter(({ event }) => event === 'clock_stepped')).toHaveLength(2);
  });

  it('is trusted again when it has gone on for a day', async () => {
    const id = await done();
    await expire();
    service.clock.forward(400 * 24);
    await expire();
    expect(await isThere(id)).toBe(true);
    service.clock.forward(SETTLE_MS / HOUR_MS);
    await expire();
    expect(await isThere(id)).toBe(false);
  });

  it('by less than two days is followed', async () => {
    await done();
    await expire();
    service.clock.forward(MAX_STEP_MS / HOUR_MS - 1);
    await expire();
    expect(service.entries.map(({ event }) => event)).toContain('upload_expired');
  });
});
