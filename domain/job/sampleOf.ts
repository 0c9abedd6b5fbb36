/** A sample: rows drawn from the model of another job, which is done. It is a job of its own, without an upload. */
import type { Job } from './job.ts';

/** The job whose model makes the rows; undefined where the job fits one itself. */
export const sourceOf = ({ request }: Pick<Job, 'request'>): { job_id: string; attempt: number } | undefined =>
  request?.sample_of;

/** What starts such a job. */
export const startCall = (job: Pick<Job, 'request'>): string => {
  const source = sourceOf(job);
  return source ? `POST /sample/${source.job_id}` : 'POST /generate';
};

/** Words on a failure, which are written where nobody knows how the job was started. */
export const sayStart = (message: string, job: Pick<Job, 'request'>): string =>
  message.replaceAll('POST /generate', startCall(job));
