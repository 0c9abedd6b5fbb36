/**
 * Runs an attempt in a child process and watches over it, so that a computation that keeps its thread busy delays neither
 * the lease nor the answer to SIGTERM:
 *
 *   the child ends by itself     its exit code, or, where it said nothing in the record, that is done here
 *   SIGTERM (the machine goes)   the child is killed, the record handed back: Batch runs the job again
 *   the lease is lost            likewise, without a word to the record: the next process waits until it is quiet
 *   the attempt is over          (cancelled, erased) the child is killed, unless it ends before the next beat: it may have
 *                                said so itself
 *   the time is over             the child is killed, the job has failed
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describeFault } from '../../domain/describeFault.ts';
import { ServiceError } from '../../domain/errors.ts';
import { EXIT, type ExitCode } from '../../domain/job/exitCodes.ts';
import { type Attempt, type JobFailure, slotOf } from '../../domain/job/job.ts';
import { failureOf } from '../../domain/job/processEnding.ts';
import type { Clock, JobStore, Log } from '../../domain/ports.ts';
import { passOn } from '../shared/childLog.ts';
import { TextTail } from '../shared/textTail.ts';
import type { AttemptLease, LeaseTimes } from './attemptLease.ts';

export interface Supervision {
  attempt: Attempt;
  lease: Pick<AttemptLease, 'claim' | 'beat' | 'handBack'>;
  jobs: Pick<JobStore, 'fail' | 'releaseSlot'>;
  /** Its standard output and error are pipes. */
  spawn(): ChildProcess;
  /** Aborted where this process is told to end. */
  stopping: AbortSignal;
  times: LeaseTimes;
  timeoutSeconds: number;
  clock: Clock;
  log: Log;
}

type Reason = 'reclaimed' | 'lost' | 'over' | 'timeout';

interface Ending {
  /** Why it was killed; undefined where it ended by itself. */
  reason: Reason | undefined;
  exitCode: number | null;
  signal: string | null;
  errorTail: string;
}

/** Never rejects. */
export async function superviseAttempt(supervision: Supervision): Promise<ExitCode> {
  const { lease, stopping, log, attempt } = supervision;
  try {
    if (!(await lease.claim(stopping))) return EXIT.over;
    return await conclude(supervision, await watch(supervision));
  } catch (error) {
    if (stopping.aborted) return EXIT.handedBack;
    log.error('supervision_failed', { job_id: attempt.jobId, attempt: attempt.attempt, ...describeFault(error) });
    return error instanceof ServiceError && error.code === 'storage_unavailable'
      ? EXIT.storageUnavailable
      : EXIT.unrecorded;
  }
}

async function watch(supervision: Supervision): Promise<Ending> {
  const { stopping, timeoutSeconds, log, times } = supervision;
  const child = supervision.spawn();
  const ended = once(child, 'close');
  const errors = new TextTail(child.stderr);
  passOn(child.stdout, log);
  let reason: Reason | undefined;
  const kill = (why: Reason) => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const reclaim = () => kill('reclaimed');
  stopping.addEventListener('abort', reclaim, { once: true });
  if (stopping.aborted) reclaim();
  const timers = [setTimeout(() => kill('timeout'), timeoutSeconds * 1000), keepLease(supervision, kill)];
  try {
    await ended;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    stopping.removeEventListener('abort', reclaim);
  }
  log.info('job_process_ended', { code: child.exitCode, signal: child.signalCode, reason: reason ?? null, ...times });
  return { reason, exitCode: child.exitCode, signal: child.signalCode, errorTail: errors.text() };
}

/** Says at each beat that this process is there. The time since a beat counts from when it was sent. */
function keepLease({ lease, times, log }: Supervision, kill: (why: Reason) => void): NodeJS.Timeout {
  let heldSince = performance.now();
  let beating = false;
  let isOver = false;
  const beat = async () => {
    if (isOver) return kill('over');
    const sentAt = performance.now();
    if (sentAt - heldSince > times.lostMs) return kill('lost');
    if (beating) return;
    beating = true;
    try {
      if (await lease.beat()) heldSince = sentAt;
      else isOver = true;
    } catch (error) {
      log.error('lease_not_kept', describeFault(error));
    } finally {
      beating = false;
    }
  };
  return setInterval(() => void beat(), times.beatMs);
}

async function conclude(supervision: Supervision, ending: Ending): Promise<ExitCode> {
  const { lease, jobs, attempt, timeoutSeconds } = supervision;
  const { reason, exitCode } = ending;
  if (reason === 'lost') return EXIT.handedBack;
  if (reason === 'reclaimed' && (await lease.handBack())) return EXIT.handedBack;
  if (reason === 'reclaimed' || reason === 'over') {
    // The child may have been killed between the last word of its record and this.
    await jobs.releaseSlot(slotOf(attempt.jobId, attempt.attempt));
    return EXIT.over;
  }
  if (reason === undefined) {
    const said = [EXIT.done, EXIT.failed, EXIT.over].find((code) => code === exitCode);
    if (said !== undefined) return said;
  }
  const how = { ...ending, ...(reason === 'timeout' && { killedFor: reason }) };
  return recordEnd(supervision, failureOf(how, timeoutSeconds));
}

async function recordEnd({ attempt, jobs, clock, log }: Supervision, failure: JobFailure): Promise<ExitCode> {
  const failed = await jobs.fail(attempt.jobId, attempt.attempt, failure, clock.now().toISOString());
  if (failed) log.error('job_failed', { job_id: attempt.jobId, attempt: attempt.attempt, code: failure.code });
  await jobs.releaseSlot(slotOf(attempt.jobId, attempt.attempt));
  return failed ? EXIT.failed : EXIT.over;
}
