/** What an attempt is called in Batch. */
import type { Attempt } from '../../domain/job/job.ts';

export const batchNameOf = ({ jobId, attempt }: Attempt): string => `job-${jobId}-${attempt}`;

/** The attempt of a Batch job's name, or undefined for a job that is not the service's. */
export function attemptOfBatchName(name: string): Attempt | undefined {
  const [, jobId, attempt] = /^job-(.+)-([1-9]\d*)$/.exec(name) ?? [];
  return jobId === undefined ? undefined : { jobId, attempt: Number(attempt) };
}
