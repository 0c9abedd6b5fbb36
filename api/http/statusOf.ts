/** A job as GET /status shows it. */
import type { Job } from '../../domain/job/job.ts';
import type { StatusReply } from '../../domain/schema/replies.ts';

export const statusOf = (job: Job): StatusReply => ({
  job_id: job.id,
  status: job.state,
  progress: job.progress,
  ...(job.state === 'done' && job.metrics ? { metrics: job.metrics } : {}),
  error: job.state === 'failed' ? job.error : null,
});
