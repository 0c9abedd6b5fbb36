import { checkCallbackUrl } from '../callback/checkCallbackUrl.ts';
import { describeFault } from '../describeFault.ts';
import { ServiceError } from '../errors.ts';
import type { CallbackStore } from '../ports.ts';
import type { Profile } from '../profile/profile.ts';
import type { GenerateRequest } from '../schema/generateRequest.ts';
import { RETRY_AFTER_SECONDS, type Service } from '../service.ts';
import { checkRequest } from './checkRequest.ts';
import { findJob } from './findJob.ts';
import { isActive, type Job, slotOf } from './job.ts';
import { loadProfile } from './loadProfile.ts';
import { sourceOf } from './sampleOf.ts';
import { seedFrom } from './seedFrom.ts';

/**
 * Starts a job: checks, takes a slot, uploaded | failed → started, hands over to the queue. Every failure in between
 * gives back what was taken. Throws, in this order: `invalid_job` (400), what `checkRequest` throws, `job_conflict`,
 * `capacity_exceeded` with Retry-After.
 */
export async function startJob(
  service: Service,
  keyId: string,
  request: GenerateRequest,
  callbackUrl: string | null = null,
): Promise<{ attempt: number }> {
  const job = await findJob(service, keyId, request.job_id, 400);
  refuseSample(job);
  const profile = await profileToStart(service, job);
  checkRequest(request, profile);
  const url =
    callbackUrl === null ? null : checkCallbackUrl(callbackUrl, service.settings.callbackAddresses ?? 'public');
  refuseUnlessStartable(job);
  const seed = request.seed ?? seedFrom(service.newId());
  const attempt = job.attempt + 1;
  await takeSlot(service, job.id, attempt);
  const policy = request.policy ?? service.settings.releasePolicy ?? null;
  const owed = url === null ? null : { jobId: job.id, attempt, keyId, url };
  await handOver(service, job.id, attempt, { ...request, seed, policy }, owed);
  service.log.info('job_started', {
    job_id: job.id,
    attempt,
    family: request.family,
  });
  return { attempt };
}

/** A job that cannot be started again says so before it says that its upload is gone. */
async function profileToStart(service: Service, job: Job): Promise<Profile> {
  try {
    return await loadProfile(service, job);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_job') refuseUnlessStartable(job);
    throw error;
  }
}

async function takeSlot(service: Service, jobId: string, attempt: number): Promise<void> {
  const limit = service.settings.maxRunningJobs;
  const outcome = await service.jobs.takeSlot(slotOf(jobId, attempt), limit);
  if (outcome === 'held') throw conflict(jobId, 'is being started by another request');
  if (outcome === 'full') throw full(limit);
}

/** Who is to be told of the end is noted first: from the start on, the job may end at any moment. */
async function handOver(
  service: Service,
  jobId: string,
  attempt: number,
  request: GenerateRequest,
  owed: Parameters<CallbackStore['owe']>[0] | null,
): Promise<void> {
  let started = false;
  try {
    if (owed) await service.callbacks.owe(owed, service.clock.now().toISOString());
    started = await service.jobs.start(jobId, attempt, request, service.clock.now().toISOString());
    if (!started) throw await whyNotStarted(service, jobId, attempt);
    await service.queue.submit(jobId, attempt);
  } catch (error) {
    await giveBack(service, jobId, attempt, started);
    if (owed) await service.callbacks.erase(jobId, attempt).catch(() => undefined);
    throw error;
  }
}

async function giveBack(service: Service, jobId: string, attempt: number, started: boolean): Promise<void> {
  try {
    if (started) {
      const message = 'No process could be started for the job. Send POST /generate again.';
      const at = service.clock.now().toISOString();
      await service.jobs.fail(jobId, attempt, { code: 'interrupted', message }, at);
      service.log.error('job_not_submitted', { job_id: jobId, attempt });
    }
    await service.jobs.releaseSlot(slotOf(jobId, attempt));
  } catch (error) {
    service.log.error('slot_not_given_back', { job_id: jobId, attempt, ...describeFault(error) });
  }
}

/** The record was changed by someone else, or the slot was freed while this request was held up. */
async function whyNotStarted(service: Service, jobId: string, attempt: number): Promise<ServiceError> {
  const job = await service.jobs.find(jobId);
  if (job && !isActive(job.state) && job.state !== 'done' && job.attempt === attempt - 1) {
    return full(service.settings.maxRunningJobs);
  }
  return conflict(jobId, 'was changed by another request');
}

function refuseUnlessStartable(job: Job): void {
  if (isActive(job.state)) throw conflict(job.id, `is ${job.state}`);
  if (job.state === 'done') throw conflict(job.id, 'is done');
}

function refuseSample(job: Job): void {
  const source = sourceOf(job);
  if (!source) return;
  throw new ServiceError(
    'job_conflict',
    `Job ${job.id} has rows from the model of job ${source.job_id}, and no upload of its own. Send POST /sample/${source.job_id} for more of them.`,
  );
}

const conflict = (jobId: string, what: string): ServiceError =>
  new ServiceError(
    'job_conflict',
    `Job ${jobId} ${what}: one run is allowed per job. Ask GET /status/${jobId} for it, or upload the file again for a new job_id.`,
  );

export const full = (limit: number): ServiceError =>
  new ServiceError(
    'capacity_exceeded',
    `${limit} jobs are running, the most at a time. Send the request again in ${RETRY_AFTER_SECONDS} seconds.`,
    { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
  );
