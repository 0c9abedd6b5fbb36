/** What is to be done with an active attempt, given what its compute looks like. Pure, so that it can be tried at length. */
import { NO_COMPUTE, VANISHED } from './failures.ts';
import type { Job, JobFailure } from './job.ts';

/** An attempt's compute, as the service that lends it sees it. */
export type ComputeView =
  | { phase: 'absent' }
  /** Since when (ms): the submission, or the end of the run before. */
  | { phase: 'waiting'; since: number }
  | { phase: 'running' }
  /** For good: it will not be run again. `failure` is how the record has to say so, where it does not yet. */
  | { phase: 'ended'; failure: JobFailure };

export interface ComputeLimits {
  /** How long after its start an attempt may be unknown to the compute: the time of a request and of a slow list. */
  submitGraceMs: number;
  /** How long an attempt may wait for a machine. */
  startLimitMs: number;
}

export const DEFAULT_LIMITS: ComputeLimits = { submitGraceMs: 90_000, startLimitMs: 3_600_000 };

/** The failure to write into the record of an active job, or undefined where it is to be left alone. */
export function judgeAttempt(
  job: Pick<Job, 'startedAt'>,
  view: ComputeView,
  now: number,
  limits: ComputeLimits,
): JobFailure | undefined {
  if (view.phase === 'running') return undefined;
  if (view.phase === 'ended') return view.failure;
  if (view.phase === 'waiting') return now - view.since > limits.startLimitMs ? NO_COMPUTE : undefined;
  const startedMs = Date.parse(job.startedAt ?? '');
  return now - startedMs <= limits.submitGraceMs ? undefined : VANISHED;
}
