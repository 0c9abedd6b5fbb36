import { ServiceError } from '../../packages/contract/errors.ts';
import { type Hashed, hashed } from '../hashing.ts';
import type { Settle } from '../ports.ts';
import type { Service } from '../service.ts';
import { type Job, sourceOf } from './job.ts';
import { columnsKey, profileKey, uploadKey } from './objectKeys.ts';
import { makeJob } from './uploadFile.ts';

/**
 * Copies a job's upload and profile into a new job; a sample uses its source's.
 * @throws `quota_exceeded`; `invalid_job` if the upload was erased.
 */
export async function repeatJob(service: Service, job: Job, settle?: Settle): Promise<Job> {
  const { fileName, fileSha256 } = job;
  const from = sourceOf(job)?.job_id ?? job.id;
  const made = await makeJob(service, job.keyId, settle, async (id) => {
    const { bytes, sha256 } = await copy(service, uploadKey(from), uploadKey(id), job);
    if (sha256 !== fileSha256) throw new ServiceError({ reason: 'stored_data_damaged' });
    await copy(service, profileKey(from), profileKey(id), job);
    await copy(service, columnsKey(from), columnsKey(id), job);
    return { fileName, fileBytes: bytes, fileSha256: sha256 };
  });
  service.log.info('job_repeated', { job_id: made.id, from: job.id });
  return made;
}

async function copy({ objects, settings }: Service, from: string, to: string, { id }: Job): Promise<Hashed> {
  const found = await objects.get(from);
  if (!found) throw new ServiceError({ reason: 'upload_erased', job_id: id, hours: settings.uploadRetentionHours });
  let copied: Hashed | undefined;
  const body = hashed(found.body, (whole) => {
    copied = whole;
  });
  await objects.put(to, body);
  if (!copied) throw new Error(`the store did not take the whole of ${from}`);
  return copied;
}
