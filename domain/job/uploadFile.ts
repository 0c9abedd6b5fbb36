import { describeFault } from '../describeFault.ts';
import { ServiceError } from '../errors.ts';
import type { Profile } from '../profile/profile.ts';
import type { Service } from '../service.ts';
import type { Job } from './job.ts';
import { jobPrefix, profileKey, uploadKey } from './objectKeys.ts';

export interface UploadedFile {
  /** The client's name for it; only its last segment is kept. */
  name: string;
  bytes: AsyncIterable<Uint8Array>;
}

const MAX_NAME_LENGTH = 255;

/**
 * Stores and profiles an upload, then makes its job (state `uploaded`). The record is written last: where anything fails,
 * nothing of the job is left. Throws `file_too_large` as soon as the limit is passed, `empty_file`, and what the reader
 * throws.
 */
export async function uploadFile(
  service: Service,
  keyId: string,
  file: UploadedFile,
): Promise<{ job: Job; profile: Profile }> {
  const jobId = service.newId();
  const fileName = lastSegment(file.name);
  try {
    const stored = await service.objects.put(uploadKey(jobId), limited(file.bytes, service.settings.maxUploadBytes));
    if (stored.bytes === 0) throw emptyFile();
    const profile = await profileUpload(service, jobId, fileName);
    const createdAt = service.clock.now().toISOString();
    await service.jobs.create({ id: jobId, keyId, fileName, fileBytes: stored.bytes, createdAt });
    const job = await service.jobs.find(jobId);
    if (!job) throw new Error(`the record of job ${jobId} is not there after it was made`);
    service.log.info('job_uploaded', { job_id: jobId, bytes: stored.bytes, rows: profile.rows });
    return { job, profile };
  } catch (error) {
    await discard(service, jobId);
    throw error;
  }
}

async function profileUpload(service: Service, jobId: string, fileName: string): Promise<Profile> {
  const upload = await service.objects.get(uploadKey(jobId));
  if (!upload) throw new Error(`the upload of job ${jobId} is not there after it was put`);
  const profile = await service.reader.profile(upload.body, fileName);
  await service.objects.put(profileKey(jobId), new TextEncoder().encode(JSON.stringify(profile)));
  return profile;
}

/** Erases what an upload that failed has left. A failure here is logged: the first error is the one to tell. */
async function discard(service: Service, jobId: string): Promise<void> {
  const steps = [() => service.jobs.erase(jobId), () => service.objects.erase(jobPrefix(jobId))];
  for (const step of steps) {
    await step().catch((error: unknown) => {
      service.log.error('upload_not_discarded', { job_id: jobId, ...describeFault(error) });
    });
  }
}

async function* limited(bytes: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.byteLength;
    if (count > limit) throw fileTooLarge(limit);
    yield chunk;
  }
}

const lastSegment = (name: string): string => name.split(/[/\\]/).at(-1)?.slice(-MAX_NAME_LENGTH) ?? '';

export const fileTooLarge = (limit: number): ServiceError =>
  new ServiceError(
    'file_too_large',
    `The file has more than ${limit} bytes (${Math.floor((10 * limit) / 2 ** 20) / 10} MB), the most that can be uploaded. Upload fewer rows or columns.`,
  );

const emptyFile = (): ServiceError =>
  new ServiceError('empty_file', 'The file has 0 bytes. Upload a file with a header line and at least one data row.');
