import type { Service } from '../service.ts';
import { eraseMarked } from './endJob.ts';
import { eraseObjects, erasingKey, JOBS_PREFIX, jobOfKey, samplesPrefix, uploadingKey } from './objectKeys.ts';

/** Longer than any request takes (ms). */
export const CUT_OFF_MS = 3_600_000;

/** Finishes interrupted erasures; removes uploads and samples without a job. Safe concurrently. */
export async function clearCutOff(service: Service): Promise<void> {
  for (const key of await service.objects.list(JOBS_PREFIX)) {
    const id = jobOfKey(key);
    if (key === erasingKey(id)) await eraseMarked(service, id);
    else if (key === uploadingKey(id)) await clearUpload(service, id);
    else if (key.startsWith(samplesPrefix(id))) await clearSample(service, key, key.slice(samplesPrefix(id).length));
  }
}

async function clearUpload({ objects, jobs, clock, log }: Service, id: string): Promise<void> {
  const mark = uploadingKey(id);
  if (await jobs.find(id)) return objects.erase(mark);
  if (!(await isOld({ objects, clock }, mark))) return;
  await eraseObjects(objects, id);
  log.info('upload_cut_off', { job_id: id });
}

/** A sample's mark on its source precedes its record, which precedes its start. */
async function clearSample({ objects, jobs, clock, log }: Service, mark: string, id: string): Promise<void> {
  const job = await jobs.find(id);
  if ((job && job.attempt > 0) || !(await isOld({ objects, clock }, mark))) return;
  await jobs.erase(id);
  await objects.erase(mark);
  log.info('sample_cut_off', { job_id: id });
}

async function isOld({ objects, clock }: Pick<Service, 'objects' | 'clock'>, mark: string): Promise<boolean> {
  const putAt = (await objects.times(mark)).get(mark);
  return putAt !== undefined && clock.now().getTime() - putAt >= CUT_OFF_MS;
}
