/** Progress lines as they happen, with the seconds since the start; and the place where a job finds that it must stop. */
import { JobError } from '../../domain/errors.ts';
import { CANCELLED, INTERRUPTED } from '../../domain/job/failures.ts';
import type { Clock, JobStore } from '../../domain/ports.ts';
import type { Report } from '../models/model.ts';

export interface Progress {
  /** Records a line as it is. */
  say: Report;
  /** Records a line with the seconds since the start. */
  report: Report;
  /** Records nothing, and stops and breathes like the others. */
  breathe(): Promise<void>;
  /** Since the start, with one decimal. */
  seconds(): string;
}

export interface ProgressTask {
  jobs: Pick<JobStore, 'report'>;
  clock: Clock;
  jobId: string;
  attempt: number;
  signal: AbortSignal;
}

/**
 * Every call throws JobError where the job is to stop (interrupted: the signal; cancelled: its record says that the
 * attempt is over), and lets timers and signals have their turn.
 */
export function createProgress({ jobs, clock, jobId, attempt, signal }: ProgressTask): Progress {
  const start = clock.now().getTime();
  const seconds = (): string => (Math.max(0, clock.now().getTime() - start) / 1000).toFixed(1);
  const breathe = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) throw new JobError(INTERRUPTED.code, INTERRUPTED.message);
  };
  const say = async (line: string): Promise<void> => {
    await breathe();
    if (!(await jobs.report(jobId, attempt, [line]))) throw new JobError(CANCELLED.code, CANCELLED.message);
  };
  return { say, breathe, seconds, report: (line) => say(`${line} (${seconds()} s)`) };
}
