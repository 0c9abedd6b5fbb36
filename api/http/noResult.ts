/** Why a job has nothing to give out. */
import type { Job } from '../../domain/job/job.ts';
import { sayStart } from '../../domain/job/sampleOf.ts';

export function whyNoResult(job: Job): string {
  if (job.state === 'uploaded') return `Job ${job.id} has not been started. Send POST /generate first.`;
  if (job.state === 'failed') {
    const said = `Job ${job.id} failed (${job.error?.code}): ${job.error?.message} Send POST /generate to start it again.`;
    return sayStart(said, job);
  }
  return `Job ${job.id} is ${job.state}. Ask GET /status/${job.id} until it is done.`;
}

export const erased = (hours: number) =>
  `The result has been erased: results are kept for ${hours} hours. Upload the file again for a new job.`;
