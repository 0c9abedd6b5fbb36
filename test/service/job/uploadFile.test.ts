import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../packages/contract/errors.ts';
import { decodeProfile } from '../../../packages/tables/profile/profile.ts';
import { hashOf } from '../../../service/hashing.ts';
import { readProfile, uploadFile } from '../../../service/job/uploadFile.ts';
import { chunksOf, localService, smallFile, type TestService } from '../../support/localService.ts';
import { profileOf } from '../../support/profiles.ts';

describe('uploadFile', () => {
  let service: TestService;
  beforeEach(() => {
    service = localService();
  });
  afterEach(() => service.close());

  async function expectNothingKept(): Promise<void> {
    expect(await service.objects.list('')).toEqual([]);
    expect(await service.jobs.counts()).toEqual({ active: 0, total: 0 });
  }

  it('keeps the file, its profile and a record, and says so', async () => {
    const { job } = await uploadFile(service, 'key-1', smallFile());
    const { sha256: fileSha256 } = await hashOf(smallFile().bytes);
    expect(job).toMatchObject({
      keyId: 'key-1',
      state: 'uploaded',
      fileName: 'table.csv',
      fileBytes: 8,
      fileSha256,
    });
    expect(decodeProfile(await readProfile(service, job))).toEqual(profileOf());
    const kept = ['columns.json', 'profile.json', 'upload'];
    expect(await service.objects.list('')).toEqual(kept.map((name) => `jobs/${job.id}/${name}`));
    expect(service.entries).toMatchObject([{ event: 'job_uploaded', fields: { job_id: job.id } }]);
  });

  it('stops reading as soon as the limit is passed, and keeps nothing', async () => {
    let read = 0;
    async function* endless() {
      for (;;) {
        read += 100;
        yield new Uint8Array(100);
      }
    }
    await expect(uploadFile(service, 'key-1', { name: 'a.csv', bytes: endless() })).rejects.toMatchObject({
      code: 'file_too_large',
    });
    expect(read).toBe(1100);
    await expectNothingKept();
  });

  it('takes no more jobs or bytes of a key than it may have, and those of another key', async () => {
    Object.assign(service.settings, { jobsPerKey: 2 });
    await uploadFile(service, 'key-1', smallFile());
    const { job } = await uploadFile(service, 'key-1', smallFile());
    const refused = uploadFile(service, 'key-1', smallFile());
    await expect(refused).rejects.toMatchObject({ code: 'quota_exceeded', params: { reason: 'too_many_jobs_kept' } });
    Object.assign(service.settings, { jobsPerKey: undefined, uploadBytesPerKey: 16 });
    await expect(uploadFile(service, 'key-1', smallFile())).rejects.toMatchObject({
      params: { reason: 'uploads_too_large_together', max_bytes: 16 },
    });
    await service.jobs.erase(job.id);
    await uploadFile(service, 'key-1', smallFile());
    await uploadFile(service, 'key-2', smallFile());
  });

  it('takes a file of exactly the limit', async () => {
    const bytes = chunksOf('x'.repeat(600), 'y'.repeat(400));
    expect((await uploadFile(service, 'key-1', { name: 'a.csv', bytes })).job.fileBytes).toBe(1000);
  });

  it('refuses a file of no bytes, and keeps nothing', async () => {
    const empty = uploadFile(service, 'key-1', { name: 'a.csv', bytes: chunksOf('', '') });
    await expect(empty).rejects.toMatchObject({ code: 'empty_file' });
    await expectNothingKept();
  });

  it.each([
    ['/etc/passwd', 'passwd'],
    ['..\\..\\table.csv', 'table.csv'],
    [`${'n'.repeat(300)}.csv`, `${'n'.repeat(251)}.csv`],
    ['Umsätze 🐧.csv', 'Umsätze 🐧.csv'],
  ])('keeps of the name %j its last segment', async (name, kept) => {
    expect((await uploadFile(service, 'key-1', smallFile(name))).job.fileName).toBe(kept);
  });

  it('keeps nothing where the client goes away in the middle', async () => {
    const gone = new Error('aborted');
    async function* broken() {
      yield new Uint8Array(10);
      throw gone;
    }
    await expect(uploadFile(service, 'key-1', { name: 'a.csv', bytes: broken() })).rejects.toBe(gone);
    await expectNothingKept();
  });

  it('keeps nothing where the file cannot be read as a table', async () => {
    const refusal = new ServiceError({ reason: 'quote_not_closed', line: 3 });
    service.reader = { profile: async () => Promise.reject(refusal) };
    await expect(uploadFile(service, 'key-1', smallFile())).rejects.toBe(refusal);
    await expectNothingKept();
  });

  it('keeps nothing where the record cannot be written', async () => {
    const full = new ServiceError({ reason: 'disk_full' });
    service.jobs.create = async () => Promise.reject(full);
    await expect(uploadFile(service, 'key-1', smallFile())).rejects.toBe(full);
    await expectNothingKept();
  });

  it('tells the first error where cleaning up fails too, and logs the second without its text', async () => {
    const refusal = new ServiceError({ reason: 'quote_not_closed', line: 3 });
    service.reader = { profile: async () => Promise.reject(refusal) };
    service.objects.erase = async () => Promise.reject(new Error('a secret cell'));
    await expect(uploadFile(service, 'key-1', smallFile())).rejects.toBe(refusal);
    expect(service.entries).toMatchObject([{ level: 'error', event: 'upload_not_discarded' }]);
    expect(JSON.stringify(service.entries)).not.toContain('secret');
  });
});
