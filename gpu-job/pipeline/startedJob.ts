/** The job of an attempt, with what its start wrote into its record. */
import { JobError } from '../../domain/errors.ts';
import { CANCELLED } from '../../domain/job/failures.ts';
import type { Job } from '../../domain/job/job.ts';
import type { JobRequest } from '../../domain/schema/sampleRequest.ts';
import type { PipelineRun } from './pipelineRun.ts';

export interface StartedJob {
  job: Job;
  request: JobRequest;
  seed: number;
}

/** Throws JobError cancelled where the record is gone or at another attempt. */
export async function startedJob(run: Pick<PipelineRun, 'jobs' | 'jobId' | 'attempt'>): Promise<StartedJob> {
  const job = await run.jobs.find(run.jobId);
  if (!job || job.attempt !== run.attempt) throw new JobError(CANCELLED.code, CANCELLED.message);
  const seed = job.request?.seed ?? null;
  if (!job.request || seed === null) throw new Error('the record of a started job has no request or no seed');
  return { job, request: job.request, seed };
}
