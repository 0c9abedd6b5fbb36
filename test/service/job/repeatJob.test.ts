import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { profileKey, uploadKey } from '../../../service/job/objectKeys.ts';
import { repeatJob } from '../../../service/job/repeatJob.ts';
import { readProfile, uploadFile } from '../../../service/job/uploadFile.ts';
import { localService, smallFile, type TestService } from '../../support/localService.ts';

describe('repeatJob', () => {
  let service: TestService;
  beforeEach(() => {
    service = localService();
  });
  afterEach(() => service.close());

  const uploaded = async () => (await uploadFile(service, 'key-1', smallFile())).job;

  it('makes a job of its own on the same file, which stays when the first is erased', async () => {
    const first = await uploaded();
    const profile = await readProfile(service, first);
    const made = await repeatJob(service, first);
    const { fileName, fileBytes, fileSha256, keyId } = first;
    expect(made).toMatchObject({ state: 'uploaded', attempt: 0, fileName, fileBytes, fileSha256, keyId });
    await service.objects.erase(`jobs/${first.id}/`);
    expect(await readProfile(service, made)).toEqual(profile);
    const kept = ['columns.json', 'profile.json', 'upload'];
    expect(await service.objects.list('')).toEqual(kept.map((name) => `jobs/${made.id}/${name}`));
  });

  it('counts as a job and as bytes of the key', async () => {
    const first = await uploaded();
    Object.assign(service.settings, { jobsPerKey: 2 });
    await repeatJob(service, first);
    await expect(repeatJob(service, first)).rejects.toMatchObject({ code: 'quota_exceeded' });
    Object.assign(service.settings, { jobsPerKey: undefined, uploadBytesPerKey: 16 });
    await expect(repeatJob(service, first)).rejects.toMatchObject({ code: 'quota_exceeded' });
  });

  it.each([
    ['upload', uploadKey, { code: 'invalid_job', params: { reason: 'upload_erased' } }],
    ['profile', profileKey, { code: 'invalid_job', params: { reason: 'upload_erased' } }],
  ])('refuses a job whose %s has been erased, and leaves nothing', async (_what, keyOf, refusal) => {
    const first = await uploaded();
    await service.objects.erase(keyOf(first.id));
    const before = await service.objects.list('');
    await expect(repeatJob(service, first)).rejects.toMatchObject(refusal);
    expect(await service.objects.list('')).toEqual(before);
    expect(await service.jobs.counts()).toEqual({ active: 0, total: 1 });
  });

  it('refuses a file that is not the one that was uploaded', async () => {
    const first = await uploaded();
    await service.objects.put(uploadKey(first.id), new Uint8Array(8));
    await expect(repeatJob(service, first)).rejects.toMatchObject({ params: { reason: 'stored_data_damaged' } });
    expect(await service.jobs.counts()).toEqual({ active: 0, total: 1 });
  });
});
