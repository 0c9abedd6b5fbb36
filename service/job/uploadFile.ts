import { ServiceError } from '../../packages/contract/errors.ts';
import type { FamilyChoice } from '../../packages/contract/families.ts';
import type { Encoding } from '../../packages/contract/files.ts';
import type { Estimate } from '../../packages/contract/replies.ts';
import type { GenerateRequest } from '../../packages/contract/requests.ts';
import type { EncodedProfile } from '../../packages/tables/profile/profile.ts';
import { checkCallbackUrl } from '../callback/callbackUrl.ts';
import { type Hashed, hashed } from '../hashing.ts';
import type { Settle } from '../ports.ts';
import { findJob, type Service } from '../service.ts';
import { describeFault } from './failures.ts';
import type { Job, NewJob } from './job.ts';
import { columnsKey, eraseObjects, profileKey, readObject, uploadingKey, uploadKey } from './objectKeys.ts';

export interface UploadedFile {
  /** Only the last segment is kept. */
  name: string;
  bytes: AsyncIterable<Uint8Array>;
  /** For text without a byte order mark; the field may follow the bytes. */
  encoding?(): Encoding | undefined;
}

const MAX_NAME_LENGTH = 255;

/**
 * Stores and profiles an upload, then makes its job.
 * @throws `quota_exceeded`; `file_too_large` as soon as the limit is passed; `empty_file`; errors of the reader.
 */
export async function uploadFile(
  service: Service,
  keyId: string,
  file: UploadedFile,
  settle?: Settle,
): Promise<{ job: Job }> {
  const fileName = lastSegment(file.name);
  let rows = 0;
  const job = await makeJob(service, keyId, settle, async (jobId) => {
    const stored = await storeUpload(service, jobId, file.bytes);
    rows = (await profileUpload(service, { keyId, jobId, fileName, encoding: file.encoding?.() })).rows;
    return { fileName, fileBytes: stored.bytes, fileSha256: stored.sha256 };
  });
  service.log.info('job_uploaded', { job_id: job.id, bytes: job.fileBytes, rows });
  return { job };
}

/**
 * Writes the record last: failures leave nothing, and `clearCutOff` finds interruptions. Throws `quota_exceeded`, and
 * what `fill` throws.
 */
export async function makeJob(
  service: Service,
  keyId: string,
  settle: Settle | undefined,
  fill: (jobId: string) => Promise<Pick<NewJob, 'fileName' | 'fileBytes' | 'fileSha256'>>,
): Promise<Job> {
  await refuseOverQuota(service, keyId);
  const { objects, jobs, clock } = service;
  const id = service.newId();
  try {
    await objects.put(uploadingKey(id), new TextEncoder().encode(id));
    const file = await fill(id);
    await jobs.create({ id, keyId, ...file, createdAt: clock.now().toISOString() }, await settle?.(id));
    await objects.erase(uploadingKey(id));
    const job = await jobs.find(id);
    if (!job) throw new Error(`the record of job ${id} is not there after it was made`);
    return job;
  } catch (error) {
    await discard(service, id);
    throw error;
  }
}

async function refuseOverQuota({ jobs, settings }: Service, keyId: string): Promise<void> {
  const { jobsPerKey, uploadBytesPerKey } = settings;
  if (jobsPerKey === undefined && uploadBytesPerKey === undefined) return;
  const used = await jobs.usageOf(keyId);
  if (jobsPerKey !== undefined && used.jobs >= jobsPerKey) {
    throw new ServiceError({ reason: 'too_many_jobs_kept', max: jobsPerKey });
  }
  if (uploadBytesPerKey !== undefined && used.bytes >= uploadBytesPerKey) {
    throw new ServiceError({ reason: 'uploads_too_large_together', max_bytes: uploadBytesPerKey });
  }
}

async function storeUpload(
  { objects, settings }: Service,
  jobId: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Hashed> {
  let stored: Hashed | undefined;
  const body = hashed(limited(bytes, settings.maxUploadBytes), (found) => {
    stored = found;
  });
  await objects.put(uploadKey(jobId), body);
  if (!stored) throw new Error(`the store did not take the whole upload of job ${jobId}`);
  if (stored.bytes === 0) throw emptyFile();
  return stored;
}

interface StoredUpload {
  keyId: string;
  jobId: string;
  fileName: string;
  encoding: Encoding | undefined;
}

async function profileUpload(
  service: Service,
  { keyId, jobId, fileName, encoding }: StoredUpload,
): Promise<EncodedProfile> {
  const upload = await service.objects.get(uploadKey(jobId));
  if (!upload) throw new Error(`the upload of job ${jobId} is not there after it was put`);
  const profile = await service.reader.profile(upload.body, fileName, keyId, encoding);
  await service.objects.put(profileKey(jobId), profile.profile);
  await service.objects.put(columnsKey(jobId), profile.report);
  return profile;
}

/** Only logs its own failures, since the first error must be reported. */
async function discard(service: Service, jobId: string): Promise<void> {
  const steps = [() => service.jobs.erase(jobId), () => eraseObjects(service.objects, jobId)];
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
  new ServiceError({ reason: 'file_too_large', max_bytes: limit });

const emptyFile = (): ServiceError => new ServiceError({ reason: 'file_has_no_bytes' });

/** Throws `invalid_job` if the upload has expired. */
export async function readProfile(service: Pick<Service, 'objects' | 'settings'>, job: Job): Promise<Uint8Array> {
  const bytes = await readObject(service.objects, profileKey(job.id));
  if (bytes) return bytes;
  throw uploadErased(service, job);
}

export async function readUploadReport(
  service: Pick<Service, 'objects' | 'settings'>,
  job: Job,
): Promise<{ bytes: number; body: AsyncIterable<Uint8Array> }> {
  const kept = await service.objects.get(columnsKey(job.id));
  if (kept) return kept;
  throw uploadErased(service, job);
}

const uploadErased = ({ settings }: Pick<Service, 'settings'>, { id }: Job): ServiceError =>
  new ServiceError({ reason: 'upload_erased', job_id: id, hours: settings.uploadRetentionHours });

/** Throws `invalid_job`, `column_not_found`, or `invalid_parameter` if the column cannot be a target. */
export async function detectTargetFamily(
  service: Service,
  keyId: string,
  jobId: string,
  targetCol: string,
  signal?: AbortSignal,
): Promise<FamilyChoice> {
  const job = await findJob(service, keyId, jobId);
  return service.work.detectFamily(await readProfile(service, job), targetCol, { keyId, signal });
}

/** Throws `invalid_job`, and errors of `checkRequest`. */
export async function estimateRequest(
  service: Service,
  keyId: string,
  request: GenerateRequest,
  callbackUrl: string | null = null,
  signal?: AbortSignal,
): Promise<Estimate> {
  const job = await findJob(service, keyId, request.job_id);
  const profile = await readProfile(service, job);
  const found = await service.work.estimate(profile, request, service.settings.prices ?? null, { keyId, signal });
  if (callbackUrl !== null) checkCallbackUrl(callbackUrl, service.settings.callbackAddresses ?? 'public');
  return found;
}
