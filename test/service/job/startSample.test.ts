import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../packages/contract/errors.ts';
import { generateRequestSchema, sampleRequestSchema } from '../../../packages/contract/requests.ts';
import type { Job } from '../../../service/job/job.ts';
import { modelKey, profileKey, sampleMarkKey } from '../../../service/job/objectKeys.ts';
import { startSample } from '../../../service/job/startJob.ts';
import { METRICS, RECEIPT } from '../../support/jobFixtures.ts';
import { type MemoryService, memoryService } from '../../support/memoryService.ts';
import { profileOf } from '../../synthesis/world.ts';

const ASKED = sampleRequestSchema.parse({ rows: 10, seed: 4 });
const AT = '2026-11-03T09:00:00Z';

async function withSource(): Promise<{ service: MemoryService; source: Job }> {
  const service = memoryService();
  const { jobs, objects } = service;
  await jobs.create({ id: 'a', keyId: 'k', fileName: 't.csv', fileBytes: 9, fileSha256: '', createdAt: AT });
  await jobs.start('a', 1, generateRequestSchema.parse({ job_id: 'a', target_col: 'x', seed: 1 }), AT);
  await jobs.run('a', 1);
  await jobs.finish('a', 1, METRICS, RECEIPT, AT);
  await objects.put(profileKey('a'), Buffer.from(JSON.stringify(await profileOf('x,c\n1,a\n2,b\n'))));
  await objects.put(modelKey('a', 1), Buffer.from('{}'));
  return { service, source: service.records.get('a')! };
}

describe('startSample', () => {
  it('takes a slot for a job of its own, with the settings of the first, and marks it there', async () => {
    const { service, source } = await withSource();
    const { jobId } = await startSample(service, source, ASKED);
    expect(await service.jobs.slots()).toEqual([`${jobId}#1`]);
    expect(service.records.get(jobId)).toMatchObject({ state: 'started', keyId: 'k', fileName: 't.csv', attempt: 1 });
    expect(service.records.get(jobId)?.request).toEqual({
      ...source.request,
      job_id: jobId,
      n_samples: 10,
      seed: 4,
      sample_of: { job_id: 'a', attempt: 1 },
    });
    expect(service.files.has(sampleMarkKey('a', jobId))).toBe(true);
    expect(service.records.get('a')).toEqual(source);
  });

  it('makes a seed where none is given, another each time', async () => {
    const { service, source } = await withSource();
    const seeds = [1, 2].map(async () => {
      const { jobId } = await startSample(service, source, { ...ASKED, seed: null });
      return service.records.get(jobId)?.request?.seed;
    });
    const [first, second] = await Promise.all(seeds);
    expect([first, second]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(first).not.toBe(second);
  });

  it.each([
    [
      'capacity_exceeded',
      (service: MemoryService) => ['x#1', 'y#1', 'z#1'].map((slot) => service.jobs.takeSlot(slot, 3)),
    ],
    [
      'compute_unavailable',
      (service: MemoryService) => {
        service.queue.submit = async () =>
          Promise.reject(new ServiceError({ reason: 'compute_unreachable', seconds: 5 }));
      },
    ],
    [
      'invalid_job',
      (service: MemoryService) => {
        const { start } = service.jobs;
        service.jobs.start = async (...given) => {
          service.records.delete('a');
          return start(...given);
        };
      },
    ],
    [
      'storage_full',
      (service: MemoryService) => {
        service.jobs.create = async () => Promise.reject(new ServiceError({ reason: 'disk_full' }));
      },
    ],
  ])('leaves nothing of itself where it ends with %s', async (code, breaks) => {
    const { service, source } = await withSource();
    const files = [...service.files.keys()];
    await breaks(service);
    const slots = await service.jobs.slots();
    await expect(startSample(service, source, ASKED)).rejects.toMatchObject({ code });
    expect(await service.jobs.slots()).toEqual(slots);
    expect([...service.records.keys()].filter((id) => id !== 'a')).toEqual([]);
    expect([...service.files.keys()]).toEqual(files);
  });

  it('keeps a bounded number of samples a job', async () => {
    const { service, source } = await withSource();
    for (let i = 0; i < 1000; i++) await service.objects.put(sampleMarkKey('a', `s${i}`), Buffer.from('s'));
    await expect(startSample(service, source, ASKED)).rejects.toMatchObject({ code: 'job_conflict' });
  });
});
