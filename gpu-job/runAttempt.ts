import { JobError } from '../packages/contract/errors.ts';
import {
  describeFault,
  EXIT,
  type ExitCode,
  failureFrom,
  STORAGE_FULL,
  STORAGE_UNAVAILABLE,
} from '../service/job/failures.ts';
import { slotOf } from '../service/job/job.ts';
import { attemptPrefix } from '../service/job/objectKeys.ts';
import type { JobStore, Log } from '../service/ports.ts';
import type { JobRun } from './runJob.ts';

export interface AttemptRun extends JobRun {
  jobs: JobStore;
  log: Log;
  /** Ends with `jobs.finish`. */
  pipeline(run: JobRun): Promise<void>;
}

/** Never rejects: record or exit code contains the outcome. */
export async function runAttempt(run: AttemptRun): Promise<ExitCode> {
  const { jobs, jobId, attempt, log } = run;
  try {
    if (!(await jobs.run(jobId, attempt))) return EXIT.over;
    log.info('job_running', { job_id: jobId, attempt });
    await Promise.race([run.pipeline(run), stopOf(run.signal)]);
    return await conclude(run);
  } catch (error) {
    return recordFailure(run, error);
  }
}

/** Leaves finished attempts alone, and active ones, which another process runs. */
export async function recordFailure(run: AttemptRun, thrown: unknown): Promise<ExitCode> {
  const { jobs, objects, clock, jobId, attempt, log } = run;
  const failure = failureFrom(thrown);
  if (failure.code === 'internal_error') log.error('job_fault', { job_id: jobId, attempt, ...describeFault(thrown) });
  try {
    const failed = await jobs.fail(jobId, attempt, failure, clock.now().toISOString());
    if (failed) log.error('job_failed', { job_id: jobId, attempt, code: failure.code });
    const job = await jobs.find(jobId);
    const isOwn = job?.attempt === attempt;
    if (!isOwn || job.state === 'failed') await objects.erase(attemptPrefix(jobId, attempt));
    await jobs.freeSlot(slotOf(jobId, attempt));
    if (isOwn && job.state === 'done') return EXIT.done;
    return failed ? EXIT.failed : EXIT.over;
  } catch (error) {
    return unrecorded(error);
  }
}

async function conclude(run: AttemptRun): Promise<ExitCode> {
  const { jobs, jobId, attempt, log } = run;
  const job = await jobs.find(jobId);
  if (job?.state !== 'done' || job.attempt !== attempt) {
    throw new Error('the pipeline ended and the job is not done');
  }
  log.info('job_done', { job_id: jobId, attempt, rows: job.metrics?.rows_generated ?? null });
  await jobs.freeSlot(slotOf(jobId, attempt));
  return EXIT.done;
}

function stopOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new JobError({ reason: 'service_stopped' }));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function unrecorded(error: unknown): ExitCode {
  const { code } = failureFrom(error);
  if (code === STORAGE_FULL.code) return EXIT.storageFull;
  return code === STORAGE_UNAVAILABLE.code ? EXIT.storageUnavailable : EXIT.unrecorded;
}
