/** A job as GET /status shows it. */
import type { Job } from '../../domain/job/job.ts';
import { releaseStateOf } from '../../domain/job/release.ts';
import { sayStart, sourceOf } from '../../domain/job/sampleOf.ts';
import type { StatusReply } from '../../domain/schema/replies.ts';
import type { Service } from '../../domain/service.ts';

export async function statusOf({ callbacks }: Pick<Service, 'callbacks'>, job: Job): Promise<StatusReply> {
  const release = releaseStateOf(job);
  const callback = job.attempt > 0 ? await callbacks.find(job.id) : undefined;
  return {
    job_id: job.id,
    status: job.state,
    ...sampleOf(job),
    progress: job.progress,
    ...(job.state === 'done' && job.metrics ? { metrics: job.metrics } : {}),
    ...(release && { release }),
    ...(callback?.attempt === job.attempt && {
      callback: {
        state: callback.state,
        tries: callback.tries,
        last_answer: callback.lastAnswer,
        next_try_at: callback.state === 'waiting' && callback.tries > 0 ? callback.dueAt : null,
      },
    }),
    error: failureOf(job),
  };
}

/** For a sample, the job whose model makes its rows. */
export function sampleOf(job: Job): { sample_of?: string } {
  const source = sourceOf(job);
  return source ? { sample_of: source.job_id } : {};
}

/** Why the job failed; null in every other state. */
export const failureOf = (job: Job): StatusReply['error'] =>
  job.state === 'failed' && job.error ? { ...job.error, message: sayStart(job.error.message, job) } : null;
