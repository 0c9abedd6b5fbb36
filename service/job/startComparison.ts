/** A table that was made elsewhere, judged beside a real one: the job of its upload becomes the comparison. */
import { ServiceError } from '../../packages/contract/errors.ts';
import type { Started } from '../../packages/contract/replies.ts';
import { type CompareRequest, generateRequestSchema } from '../../packages/contract/requests.ts';
import type { Settle } from '../ports.ts';
import { findJob, type Service } from '../service.ts';
import { admit } from './admit.ts';
import { refuseSample, refuseUnlessStartable, seedFrom } from './startJob.ts';
import { readProfile } from './uploadFile.ts';

interface ComparisonOptions {
  signal?: AbortSignal;
  /** Gives the answer that is kept with the start. */
  settle?: (status: Started) => ReturnType<Settle>;
}

/**
 * Starts a comparison as a job is started; the jobs of the real and held-out rows stay as they are, whatever they are at. Throws, in
 * this order: `invalid_job` for any of the jobs or uploads that is not there, `job_conflict` where two of them are one, what
 * `checkRequest` throws of the real table, `job_conflict` where the job was started before, `capacity_exceeded`.
 */
export async function startComparison(
  service: Service,
  keyId: string,
  { queue, real_job_id, holdout_job_id, job_id, ...roles }: CompareRequest,
  { signal, settle }: ComparisonOptions = {},
): Promise<Started> {
  const named = [job_id, real_job_id, ...(holdout_job_id === null ? [] : [holdout_job_id])];
  const twice = named.find((id, at) => named.indexOf(id) < at);
  if (twice !== undefined) throw new ServiceError({ reason: 'compared_with_itself', job_id: twice });
  const jobs = await Promise.all(named.map((id) => findJob(service, keyId, id)));
  for (const one of jobs) refuseSample(one);
  const [profile, real] = await Promise.all(jobs.map((one) => readProfile(service, one)));
  const [job] = jobs;
  if (!job || !profile || !real) throw new Error('a comparison without its tables');
  const asked = generateRequestSchema.parse({ job_id: real_job_id, ...roles, allow_few_rows: true });
  const { estimate, target_col } = await service.work.checkRequest(real, asked, { keyId, signal });
  refuseUnlessStartable(job);
  const seed = asked.seed ?? seedFrom(service.newId());
  const attempt = job.attempt + 1;
  const status = await admit(service, {
    job: { jobId: job.id, attempt, keyId, queuedAt: service.clock.now().toISOString(), estimate },
    request: { ...asked, job_id: job.id, target_col, seed, compared_with: { job_id: real_job_id, holdout_job_id } },
    mayWait: queue,
    outgoing: null,
    settle: async (found) => settle?.(found),
  });
  service.log.info('comparison_started', { job_id: job.id, attempt, real_id: real_job_id });
  return status;
}
