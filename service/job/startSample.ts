import { ServiceError } from '../../packages/contract/errors.ts';
import type { JobRequest, SampleRequest } from '../../packages/contract/requests.ts';
import { checkConditions, scaleConditions } from '../../packages/synthesis/request/checkConditions.ts';
import type { Service } from '../service.ts';
import { describeFault } from './failures.ts';
import { type Job, slotOf, sourceOf } from './job.ts';
import { jobPrefix, modelKey, sampleMarkKey, samplesPrefix } from './objectKeys.ts';
import { refuseWithheld } from './release.ts';
import { full, seedFrom } from './startJob.ts';
import { loadProfile } from './uploadFile.ts';

/** Samples of one job that there may be at a time. */
const MAX_SAMPLES = 1000;

const ATTEMPT = 1;

/**
 * Starts the drawing of more rows from the model of a job that is done: takes a slot, makes a job of its own for them, and
 * hands it over to the queue; the job that lends its model stays as it is. Every failure in between gives back what was
 * taken. Throws, in this order: `job_conflict` for a job that is a sample itself, `withheld`, `invalid_job` where
 * the upload and `no_result` where the model has been erased, what `checkConditions` throws, `capacity_exceeded`.
 */
export async function startSample(service: Service, source: Job, asked: SampleRequest): Promise<{ jobId: string }> {
  refuseSample(source);
  refuseWithheld(source);
  const profile = await loadProfile(service, source);
  await requireModel(service, source);
  const id = service.newId();
  const request = requestFor(source, id, asked, seedFrom(service.newId()));
  checkConditions(request, profile);
  await takeSlot(service, id);
  await handOver(service, source, id, request);
  service.log.info('sample_started', { job_id: id, source_id: source.id, rows: asked.rows });
  return { jobId: id };
}

function refuseSample(source: Job): void {
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

async function takeSlot({ jobs, settings }: Service, id: string): Promise<void> {
  const limit = settings.maxRunningJobs;
  if ((await jobs.takeSlot(slotOf(id, ATTEMPT), limit)) !== 'taken') throw full(limit);
}

/** The mark by which the source knows of it comes before the record: who erases the source erases all that is of it. */
async function handOver(service: Service, source: Job, id: string, request: JobRequest): Promise<void> {
  const { jobs, objects, queue, clock, settings } = service;
  const { keyId, fileName, fileBytes } = source;
  try {
    await objects.put(sampleMarkKey(source.id, id), new TextEncoder().encode(id));
    await jobs.create({ id, keyId, fileName, fileBytes, createdAt: clock.now().toISOString() });
    if (!(await jobs.start(id, ATTEMPT, request, clock.now().toISOString()))) throw full(settings.maxRunningJobs);
    if (!(await jobs.find(source.id))) throw gone(source.id);
    await queue.submit(id, ATTEMPT);
  } catch (error) {
    await giveBack(service, source, id);
    throw error;
  }
}

/** No record is left of what was never begun: to begin it again is to ask for it again. */
async function giveBack({ jobs, objects, log }: Service, source: Job, id: string): Promise<void> {
  try {
    await jobs.erase(id);
    await jobs.freeSlot(slotOf(id, ATTEMPT));
    await objects.erase(sampleMarkKey(source.id, id));
  } catch (error) {
    log.error('slot_not_given_back', { job_id: id, attempt: ATTEMPT, ...describeFault(error) });
  }
}

const gone = (jobId: string): ServiceError => new ServiceError({ reason: 'source_erased_meanwhile', job_id: jobId });
