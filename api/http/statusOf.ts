/** A job as GET /status shows it. */
import type { Job } from '../../domain/job/job.ts';
import { releaseStateOf } from '../../domain/job/release.ts';
import type { StatusReply } from '../../domain/schema/replies.ts';

export function statusOf(job: Job): StatusReply {
  const release = releaseStateOf(job);
  return {
    job_id: job.id,
    status: job.state,
    progress: job.progress,
    ...(job.state === 'done' && job.metrics ? { metrics: job.metrics } : {}),
    ...(release && { release }),
    error: job.state === 'failed' ? job.error : null,
  };
}
