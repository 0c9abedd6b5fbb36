import { ServiceError } from '../../packages/contract/errors.ts';
import type { Estimate, Started } from '../../packages/contract/replies.ts';
import { type CompareRequest, type GenerateRequest, generateRequestSchema } from '../../packages/contract/requests.ts';
import type { WorkFor } from '../heavyWork.ts';
import type { Settle } from '../ports.ts';
import { findJob, type Service } from '../service.ts';
import { admit } from './admit.ts';
import type { Job } from './job.ts';
import { refuseSample, refuseUnlessStartable, seedFrom } from './startJob.ts';
import { readProfile } from './uploadFile.ts';

interface ComparisonOptions {
  signal?: AbortSignal;
  settle?: (status: Started) => ReturnType<Settle>;
}

/**
 * The synthetic upload's job becomes the comparison; other jobs stay unchanged.
 * @throws In this order: `invalid_job`, `job_conflict` for a repeated job, errors of `checkRequest` for the real table,
 * `job_conflict` if started before, `capacity_exceeded`.
 */
export async function startComparison(
  service: Service,
  keyId: string,
  request: CompareRequest,
  { signal, settle }: ComparisonOptions = {},
): Promise<Started> {
  const { queue, real_job_id, holdout_job_id } = request;
  const { job, profiles } = await comparedJobs(service, keyId, request);
  const asked = askedOf(request);
  const as = { keyId, signal };
  const { target_col } = await service.work.checkRequest(profiles.real.slice(), asked, as);
  const estimate = await estimateOf(service, asked, profiles, as);
  refuseUnlessStartable(job);
  const seed = asked.seed ?? seedFrom(service.newId());
  const attempt = job.attempt + 1;
  const queuedAt = service.clock.now().toISOString();
  const takes = { memoryMb: estimate.memory_mb, seconds: estimate.seconds.expected };
  const status = await admit(service, {
    job: { jobId: job.id, attempt, keyId, queuedAt, estimate: takes },
    request: { ...asked, job_id: job.id, target_col, seed, compared_with: { job_id: real_job_id, holdout_job_id } },
    mayWait: queue,
    outgoing: null,
    settle: async (found) => settle?.(found),
  });
  service.log.info('comparison_started', { job_id: job.id, attempt, real_id: real_job_id });
  return status;
}

/** Throws the errors of a start up to the request check. */
export async function estimateCompared(
  service: Service,
  keyId: string,
  request: CompareRequest,
  signal?: AbortSignal,
): Promise<Estimate> {
  const { profiles } = await comparedJobs(service, keyId, request);
  return estimateOf(service, askedOf(request), profiles, { keyId, signal });
}

interface Profiles {
  real: Uint8Array;
  synthetic: Uint8Array;
  held: Uint8Array | null;
}

async function comparedJobs(
  service: Service,
  keyId: string,
  { job_id, real_job_id, holdout_job_id }: CompareRequest,
): Promise<{ job: Job; profiles: Profiles }> {
  const named = [job_id, real_job_id, ...(holdout_job_id === null ? [] : [holdout_job_id])];
  const twice = named.find((id, at) => named.indexOf(id) < at);
  if (twice !== undefined) throw new ServiceError({ reason: 'compared_with_itself', job_id: twice });
  const jobs = await Promise.all(named.map((id) => findJob(service, keyId, id)));
  for (const one of jobs) refuseSample(one);
  const [synthetic, real, held = null] = await Promise.all(jobs.map((one) => readProfile(service, one)));
  const [job] = jobs;
  if (!job || !synthetic || !real) throw new Error('a comparison without its tables');
  return { job, profiles: { real, synthetic, held } };
}

const askedOf = ({ queue: _, holdout_job_id: __, real_job_id: job_id, ...roles }: CompareRequest): GenerateRequest =>
  generateRequestSchema.parse({ ...roles, job_id, allow_few_rows: true });

async function estimateOf(
  { work, settings }: Service,
  request: GenerateRequest,
  { real, synthetic, held }: Profiles,
  as: WorkFor,
): Promise<Estimate> {
  const rows = {
    synthetic: await work.countRows(synthetic, as),
    holdout: held && (await work.countRows(held, as)),
  };
  return work.estimateComparison(real, { request, rows, prices: settings.prices ?? null }, as);
}
