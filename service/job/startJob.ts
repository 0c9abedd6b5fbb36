import { ServiceError } from '../../packages/contract/errors.ts';
import { failure } from '../../packages/contract/problems.ts';
import { stricterPolicy } from '../../packages/contract/releasePolicy.ts';
import type { GenerateRequest, JobRequest, SampleRequest } from '../../packages/contract/requests.ts';
import { scaleConditions } from '../../packages/synthesis/request/checkRequest.ts';
import { checkCallbackUrl } from '../callback/callbackUrl.ts';
import type { CallbackStore, Settle, Settlement } from '../ports.ts';
import { findJob, type Service } from '../service.ts';
import { describeFault } from './failures.ts';
import { type Attempt, isActive, type Job, slotOf, sourceOf } from './job.ts';
import { jobPrefix, modelKey, sampleMarkKey, samplesPrefix } from './objectKeys.ts';
import { refuseWithheld } from './release.ts';
import { full, takeSlot } from './slots.ts';
import { readProfile } from './uploadFile.ts';

/** Where the signal aborts, the checks stop; `settle` gives the answer that is kept with the start. */
interface StartOptions {
  signal?: AbortSignal;
  settle?: (keys: readonly string[]) => ReturnType<Settle>;
}

/**
 * Starts a job: checks, takes a slot, uploaded | failed → started, hands over to the queue. Every failure in between
 * gives back what was taken. `keys`: columns for which new keys are made. Throws, in this order: `invalid_job`, what
 * `checkRequest` throws, `job_conflict`, `capacity_exceeded` with Retry-After.
 */
export async function startJob(
  service: Service,
  keyId: string,
  request: GenerateRequest,
  callbackUrl: string | null = null,
  { signal, settle }: StartOptions = {},
): Promise<{ attempt: number; keys: string[] }> {
  const job = await findJob(service, keyId, request.job_id);
  refuseSample(job);
  const { keys, memoryMb, target_col } = await service.work.checkRequest(await profileToStart(service, job), request, {
    keyId,
    signal,
  });
  const url =
    callbackUrl === null ? null : checkCallbackUrl(callbackUrl, service.settings.callbackAddresses ?? 'public');
  refuseUnlessStartable(job);
  const seed = request.seed ?? seedFrom(service.newId());
  const attempt = job.attempt + 1;
  const settlement = await settle?.(keys);
  await takeSlot(service, keyId, { jobId: job.id, attempt });
  const policy = stricterPolicy(request.policy, service.settings.releasePolicy ?? null);
  const outgoing = url === null ? null : { jobId: job.id, attempt, keyId, url };
  await handOver(
    service,
    { jobId: job.id, attempt },
    { ...request, target_col, seed, policy },
    { outgoing, settlement, memoryMb },
  );
  service.log.info('job_started', {
    job_id: job.id,
    attempt,
    family: request.family,
  });
  return { attempt, keys };
}

/** A job that cannot be started again says so before it says that its upload is gone. */
async function profileToStart(service: Service, job: Job): Promise<Uint8Array> {
  try {
    return await readProfile(service, job);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_job') refuseUnlessStartable(job);
    throw error;
  }
}

interface Handover {
  /** The call at the end. */
  outgoing: Parameters<CallbackStore['enqueue']>[0] | null;
  settlement: Settlement | undefined;
  memoryMb: number;
}

/** The call at the end is noted first: from the start on, the job may end at any moment. */
async function handOver(
  service: Service,
  { jobId, attempt }: Attempt,
  request: GenerateRequest,
  { outgoing, settlement, memoryMb }: Handover,
): Promise<void> {
  let started = false;
  try {
    await service.capacity?.admit({ jobId, attempt }, memoryMb);
    if (outgoing) await service.callbacks.enqueue(outgoing, service.clock.now().toISOString());
    started = await service.jobs.start(jobId, attempt, request, service.clock.now().toISOString(), settlement);
    if (!started) throw await whyNotStarted(service, jobId, attempt);
    await service.queue.submit(jobId, attempt);
  } catch (error) {
    service.capacity?.release({ jobId, attempt });
    await giveBack(service, jobId, attempt, started);
    if (outgoing) await service.callbacks.erase(jobId, attempt).catch(() => undefined);
    throw error;
  }
}

async function giveBack(service: Service, jobId: string, attempt: number, started: boolean): Promise<void> {
  try {
    if (started) {
      const at = service.clock.now().toISOString();
      await service.jobs.fail(jobId, attempt, failure({ reason: 'job_not_submitted' }), at);
      service.log.error('job_not_submitted', { job_id: jobId, attempt });
    }
    await service.jobs.freeSlot(slotOf(jobId, attempt));
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
  return new ServiceError({ reason: 'job_changed', job_id: jobId });
}

function refuseUnlessStartable(job: Job): void {
  if (isActive(job.state)) throw new ServiceError({ reason: 'job_active', job_id: job.id, state: job.state });
  if (job.state === 'done') throw new ServiceError({ reason: 'job_already_done', job_id: job.id });
}

function refuseSample(job: Job): void {
  const source = sourceOf(job);
  if (!source) return;
  throw new ServiceError({ reason: 'sample_has_no_upload', job_id: job.id, source_id: source.job_id });
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const SEED_BITS = 53;

/** A seed (0 … 2^53 - 1) from an identifier that cannot be guessed: its 64-bit FNV-1a hash, folded to 53 bits. */
function seedFrom(id: string): number {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(id)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  }
  return Number(BigInt.asUintN(SEED_BITS, hash ^ (hash >> BigInt(SEED_BITS))));
}

// A sample: a job of its own for rows from the model of another.

/** Samples of one job that there may be at a time. */
const MAX_SAMPLES = 1000;

const ATTEMPT = 1;

/**
 * Starts the drawing of more rows from the model of a job that is done: takes a slot, makes a job of its own for them, and
 * hands it over to the queue; the job that lends its model stays as it is. Every failure in between gives back what was
 * taken. Throws, in this order: `job_conflict` for a job that is a sample itself, `withheld`, `invalid_job` where
 * the upload and `no_result` where the model has been erased, what `checkConditions` throws, `capacity_exceeded`.
 */
export async function startSample(
  service: Service,
  source: Job,
  asked: SampleRequest,
  { signal, settle }: { signal?: AbortSignal; settle?: Settle } = {},
): Promise<{ jobId: string }> {
  refuseSampleOfSample(source);
  refuseWithheld(source);
  const profile = await readProfile(service, source);
  await requireModel(service, source);
  const id = service.newId();
  const made = requestFor(source, id, asked, seedFrom(service.newId()));
  const request = { ...made, policy: stricterPolicy(made.policy, service.settings.releasePolicy ?? null) };
  const memoryMb = await service.work.checkConditions(profile, request, { keyId: source.keyId, signal });
  await refuseWhereFull(service);
  await handOverSample(service, source, request, { settle, memoryMb });
  service.log.info('sample_started', { job_id: id, source_id: source.id, rows: asked.rows });
  return { jobId: id };
}

function refuseSampleOfSample(source: Job): void {
  const origin = sourceOf(source);
  if (!origin) return;
  throw new ServiceError({ reason: 'sample_has_no_model', job_id: source.id, source_id: origin.job_id });
}

/** A job that was run before models were kept for this has one too, which the job's process then refuses in words. */
async function requireModel({ objects, settings }: Service, { id, attempt }: Job): Promise<void> {
  const keys = await objects.list(jobPrefix(id));
  if (!keys.includes(modelKey(id, attempt))) {
    throw new ServiceError({ reason: 'model_not_kept', job_id: id, hours: settings.resultRetentionHours });
  }
  if (keys.filter((key) => key.startsWith(samplesPrefix(id))).length >= MAX_SAMPLES) {
    throw new ServiceError({ reason: 'too_many_samples', job_id: id, max: MAX_SAMPLES });
  }
}

/** The roles and settings that the model was made with. */
function requestFor(source: Job, id: string, { rows, seed, conditions }: SampleRequest, ownSeed: number): JobRequest {
  const { request } = source;
  if (!request) throw new Error('the record of a finished job has no request');
  if (request.conditions.length > 0 && conditions.length > 0) {
    throw new ServiceError({ reason: 'model_has_conditions', job_id: source.id }, { field: 'conditions' });
  }
  const kept = scaleConditions(request.conditions, request.n_samples, rows);
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
    seed: seed ?? ownSeed,
    conditions: conditions.length > 0 ? conditions : kept,
    sample_of: { job_id: source.id, attempt: source.attempt },
  };
}

/** Before anything is written: the slot is taken when there is a record that it can be counted by. */
async function refuseWhereFull({ jobs, settings }: Service): Promise<void> {
  if ((await jobs.slots()).length >= settings.maxRunningJobs) throw full(settings.maxRunningJobs);
}

/** The mark by which the source knows of it comes before the record: who erases the source erases all that is of it. */
async function handOverSample(
  service: Service,
  source: Job,
  request: JobRequest,
  { settle, memoryMb }: { settle: Settle | undefined; memoryMb: number },
): Promise<void> {
  const id = request.job_id;
  const { jobs, objects, queue, clock, settings } = service;
  const { keyId, fileName, fileBytes, fileSha256 } = source;
  try {
    await service.capacity?.admit({ jobId: id, attempt: ATTEMPT }, memoryMb);
    await objects.put(sampleMarkKey(source.id, id), new TextEncoder().encode(id));
    await jobs.create({ id, keyId, fileName, fileBytes, fileSha256, createdAt: clock.now().toISOString() });
    await takeSlot(service, keyId, { jobId: id, attempt: ATTEMPT });
    const started = await jobs.start(id, ATTEMPT, request, clock.now().toISOString(), await settle?.(id));
    if (!started) throw full(settings.maxRunningJobs);
    if (!(await jobs.find(source.id))) throw gone(source.id);
    await queue.submit(id, ATTEMPT);
  } catch (error) {
    service.capacity?.release({ jobId: id, attempt: ATTEMPT });
    await giveBackSample(service, source, id);
    throw error;
  }
}

/** No record is left of what was never begun: to begin it again is to ask for it again. */
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
