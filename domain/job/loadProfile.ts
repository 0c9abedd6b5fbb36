import { ServiceError } from '../errors.ts';
import { type Profile, profileSchema } from '../profile/profile.ts';
import type { Service } from '../service.ts';
import type { Job } from './job.ts';
import { profileKey } from './objectKeys.ts';
import { readObject } from './readObject.ts';

/**
 * What the upload was found to hold. Throws `invalid_job` where the upload has been erased because its time was over: with
 * status 404 for a job in a path, else 400.
 */
export async function loadProfile(
  service: Pick<Service, 'objects' | 'settings'>,
  job: Job,
  status: 400 | 404 = 400,
): Promise<Profile> {
  const bytes = await readObject(service.objects, profileKey(job.id));
  if (!bytes) {
    throw new ServiceError(
      'invalid_job',
      `The upload of job ${job.id} has been erased: uploads are kept for ${service.settings.uploadRetentionHours} hours. Upload the file again for a new job_id.`,
      { status },
    );
  }
  return profileSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}
