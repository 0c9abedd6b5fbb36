import { ServiceError } from '../../packages/contract/errors.ts';
import type { PrivacySpent } from '../../packages/contract/privacy.ts';
import { stricterPolicy } from '../../packages/contract/releasePolicy.ts';
import type { Started } from '../../packages/contract/replies.ts';
import type { GenerateRequest, JobRequest, SampleRequest } from '../../packages/contract/requests.ts';
import { isPrivate, withDomainRoles } from '../../packages/synthesis/request/checkPrivacy.ts';
import { scaleConditions } from '../../packages/synthesis/request/scaleConditions.ts';
import { checkCallbackUrl } from '../callback/callbackUrl.ts';
import type { Settle } from '../ports.ts';
import { type Price, pricing } from '../privacy/ledger.ts';
import { findJob, type Service } from '../service.ts';
import { type Asked, admit } from './admit.ts';
import { describeFault } from './failures.ts';
import { isUnderWay, type Job, slotOf, sourceOf } from './job.ts';
import { jobPrefix, modelKey, sampleMarkKey, samplesPrefix } from './objectKeys.ts';
import { refuseWithheld } from './release.ts';
import { full } from './slots.ts';
import { readProfile } from './uploadFile.ts';

interface StartOptions {
  signal?: AbortSignal;
  queue?: boolean;
  settle?: (status: Started, keys: readonly string[], privacy?: PrivacySpent) => ReturnType<Settle>;
}

/**
 * Starts or queues a job, or undoes everything. `keys` lists columns with new key values.
 * @throws In this order: `invalid_job`, errors of `checkRequest`, `job_conflict`, `invalid_parameter` if the privacy
 * budget is spent, `capacity_exceeded`.
 */
export async function startJob(
  service: Service,
  keyId: string,
  asked: GenerateRequest,
  callbackUrl: string | null = null,
  { signal, queue = false, settle }: StartOptions = {},
): Promise<{ status: Started; attempt: number; keys: string[]; privacy?: PrivacySpent }> {
  const request = withDomainRoles(asked);
  const job = await findJob(service, keyId, request.job_id);
  refuseSample(job);
  const profile = await profileToStart(service, job);
  const { keys, estimate, target_col, row_digest } = await service.work.checkRequest(profile, request, {
    keyId,
    signal,
  });
  const url =
    callbackUrl === null ? null : checkCallbackUrl(callbackUrl, service.settings.callbackAddresses ?? 'public');
  refuseUnlessStartable(job);
  const seed = request.seed ?? seedFrom(service.newId());
  const [jobId, attempt] = [job.id, job.attempt + 1];
  const policy = isPrivate(request) ? null : stricterPolicy(request.policy, service.settings.releasePolicy ?? null);
  const priceOf = isPrivate(request)
    ? await pricing(service, { job, attempt, privacy: request.privacy, digest: row_digest })
    : undefined;
  let privacy: PrivacySpent | undefined;
  const price = async (): Promise<Price | undefined> => {
    if (!priceOf) return undefined;
    await refuseStartedMeanwhile(service, job);
    const found = await priceOf();
    privacy = found.spent;
    return found;
  };
  const status = await admit(service, {
    job: { jobId, attempt, keyId, queuedAt: service.clock.now().toISOString(), estimate },
    request: { ...request, target_col, seed, policy },
    mayWait: queue,
    outgoing: url === null ? null : { jobId, attempt, keyId, url },
    price,
    settle: async (found) => settle?.(found, keys, privacy),
  });
  if (status === 'started') service.log.info('job_started', { job_id: jobId, attempt, family: request.family });
  return { status, attempt, keys, ...(privacy && { privacy }) };
}

/** Names the reason, which the start's transaction cannot. */
async function refuseStartedMeanwhile(service: Service, { id, keyId, attempt }: Job): Promise<void> {
  const job = await findJob(service, keyId, id);
  refuseUnlessStartable(job);
  if (job.attempt !== attempt) throw new ServiceError({ reason: 'job_changed', job_id: id });
}

/** Reports a job that cannot restart before a missing upload. */
async function profileToStart(service: Service, job: Job): Promise<Uint8Array> {
  try {
    return await readProfile(service, job);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_job') refuseUnlessStartable(job);
    throw error;
  }
}

export function refuseUnlessStartable(job: Job): void {
  if (isUnderWay(job.state)) throw new ServiceError({ reason: 'job_active', job_id: job.id, state: job.state });
  if (job.state === 'done') throw new ServiceError({ reason: 'job_already_done', job_id: job.id });
}

export function refuseSample(job: Job): void {
  const source = sourceOf(job);
  if (!source) return;
  throw new ServiceError({ reason: 'sample_has_no_upload', job_id: job.id, source_id: source.job_id });
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const SEED_BITS = 53;

/** Returns a seed (0 … 2^53 - 1): the folded 64-bit FNV-1a hash of an unguessable id. */
export function seedFrom(id: string): number {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(id)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  }
  return Number(BigInt.asUintN(SEED_BITS, hash ^ (hash >> BigInt(SEED_BITS))));
}

/** Per job. */
const MAX_SAMPLES = 1000;

const ATTEMPT = 1;

interface SampleOptions {
  signal?: AbortSignal;
  settle?: (status: Started, jobId: string) => ReturnType<Settle>;
}

/**
 * Starts or queues a sample as a new job, or undoes everything.
 * @throws In this order: `job_conflict` if the source is a sample, `withheld`, `invalid_job`, `no_result`, errors of
 * `checkConditions`, `capacity_exceeded`.
 */
export async function startSample(
  service: Service,
  source: Job,
  { queue, ...asked }: SampleRequest,
  { signal, settle }: SampleOptions = {},
): Promise<{ status: Started; jobId: string }> {
  refuseSampleOfSample(source);
  refuseWithheld(source);
  const profile = await readProfile(service, source);
  await requireModel(service, source);
  const { keyId } = source;
  const jobId = service.newId();
  const made = requestFor(source, jobId, asked, seedFrom(service.newId()));
  const own = stricterPolicy(made.policy, service.settings.releasePolicy ?? null);
  const request = { ...made, policy: isPrivate(made) ? null : own };
  const estimate = await service.work.checkConditions(profile, request, { keyId, signal });
  if (!queue) await refuseWhereFull(service);
  const status = await makeSample(service, source, {
    job: { jobId, attempt: ATTEMPT, keyId, queuedAt: service.clock.now().toISOString(), estimate },
    request,
    mayWait: queue,
    outgoing: null,
    settle: async (found) => settle?.(found, jobId),
    check: async () => {
      if (!(await service.jobs.find(source.id))) throw gone(source.id);
    },
  });
  service.log.info('sample_started', { job_id: jobId, source_id: source.id, rows: asked.rows });
  return { status, jobId };
}

function refuseSampleOfSample(source: Job): void {
  const origin = sourceOf(source);
  if (!origin) return;
  throw new ServiceError({ reason: 'sample_has_no_model', job_id: source.id, source_id: origin.job_id });
}

/** Older models may not be samplable; the job's process refuses them. */
async function requireModel({ objects, settings }: Service, { id, attempt }: Job): Promise<void> {
  const keys = await objects.list(jobPrefix(id));
  if (!keys.includes(modelKey(id, attempt))) {
    throw new ServiceError({ reason: 'model_not_kept', job_id: id, hours: settings.resultRetentionHours });
  }
  if (keys.filter((key) => key.startsWith(samplesPrefix(id))).length >= MAX_SAMPLES) {
    throw new ServiceError({ reason: 'too_many_samples', job_id: id, max: MAX_SAMPLES });
  }
}

function requestFor(
  source: Job,
  id: string,
  { rows, n_entities, seed, conditions }: Omit<SampleRequest, 'queue'>,
  ownSeed: number,
): JobRequest {
  const { request } = source;
  if (!request) throw new Error('the record of a finished job has no request');
  if (request.conditions.length > 0 && conditions.length > 0) {
    throw new ServiceError({ reason: 'model_has_conditions', job_id: source.id }, { field: 'conditions' });
  }
  const entities = n_entities ?? request.n_entities;
  const kept = scaleConditions(request.conditions, request.n_entities ?? request.n_samples, entities ?? rows);
  if (!kept) {
    throw new ServiceError(
      { reason: 'rows_fewer_than_parts', job_id: source.id, min: request.conditions.length + 1, found: rows },
      { field: 'rows' },
    );
  }
  return {
    ...request,
    job_id: id,
    n_samples: rows,
    n_entities,
    seed: seed ?? ownSeed,
    conditions: conditions.length > 0 ? conditions : kept,
    sample_of: { job_id: source.id, attempt: source.attempt },
  };
}

/** Refuses before writing, since a slot is taken only after the record exists. */
async function refuseWhereFull({ jobs, settings }: Service): Promise<void> {
  if ((await jobs.slots()).length >= settings.maxRunningJobs) throw full(settings.maxRunningJobs);
}

/** Marks the source first, so that erasing it erases all samples. */
async function makeSample(service: Service, source: Job, asked: Asked): Promise<Started> {
  const { jobs, objects, clock } = service;
  const { jobId: id } = asked.job;
  const { keyId, fileName, fileBytes, fileSha256 } = source;
  try {
    await objects.put(sampleMarkKey(source.id, id), new TextEncoder().encode(id));
    await jobs.create({ id, keyId, fileName, fileBytes, fileSha256, createdAt: clock.now().toISOString() });
    return await admit(service, asked);
  } catch (error) {
    await giveBackSample(service, source, id);
    throw error;
  }
}

async function giveBackSample({ jobs, objects, log }: Service, source: Job, id: string): Promise<void> {
  try {
    await jobs.erase(id);
    await jobs.freeSlot(slotOf(id, ATTEMPT));
    await objects.erase(sampleMarkKey(source.id, id));
  } catch (error) {
    log.error('slot_not_given_back', { job_id: id, attempt: ATTEMPT, ...describeFault(error) });
  }
}

const gone = (jobId: string): ServiceError => new ServiceError({ reason: 'source_erased_meanwhile', job_id: jobId });
