import { JobError, ServiceError } from '../../packages/contract/errors.ts';
import { failure, type JobFailure } from '../../packages/contract/problems.ts';

export const INTERRUPTED = failure({ reason: 'service_stopped' });
export const RECLAIMED = failure({ reason: 'machine_reclaimed' });
export const NO_COMPUTE = failure({ reason: 'no_machine' });
/** Lost before a machine ran it. */
export const VANISHED = failure({ reason: 'job_lost' });
export const CANCELLED = failure({ reason: 'cancelled' });
export const OUT_OF_MEMORY = failure({ reason: 'memory_limit' });
export const STORAGE_FULL = failure({ reason: 'job_disk_full' });
export const STORAGE_UNAVAILABLE = failure({ reason: 'job_storage_unavailable' });
export const INTERNAL_ERROR = failure({ reason: 'job_fault' });

/** V8 throws these if one array or string is too large. */
const NO_ROOM = /allocation failed|Invalid (typed )?array (buffer )?length|Invalid string length/;

export function failureFrom(thrown: unknown): JobFailure {
  if (thrown instanceof JobError) {
    const { code, field, params } = thrown;
    return { code, ...(field !== undefined && { field }), params };
  }
  if (thrown instanceof ServiceError && thrown.code === 'storage_full') return STORAGE_FULL;
  if (thrown instanceof ServiceError && thrown.code === 'storage_unavailable') return STORAGE_UNAVAILABLE;
  if (thrown instanceof RangeError && NO_ROOM.test(thrown.message)) return OUT_OF_MEMORY;
  return INTERNAL_ERROR;
}

// Exit codes of a job's process.

export const EXIT = {
  done: 0,
  failed: 10,
  over: 11,
  badEnvironment: 12,
  /** Failures that could not be recorded. */
  storageFull: 13,
  storageUnavailable: 14,
  unrecorded: 15,
  /** The machine is being reclaimed; Batch retries. */
  handedBack: 16,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Failures to record if the record has none. */
export const EXIT_FAILURES: Readonly<Record<number, JobFailure>> = {
  [EXIT.storageFull]: STORAGE_FULL,
  [EXIT.storageUnavailable]: STORAGE_UNAVAILABLE,
  [EXIT.unrecorded]: INTERNAL_ERROR,
  [EXIT.handedBack]: RECLAIMED,
};

export interface ProcessEnding {
  exitCode: number | null;
  signal: string | null;
  errorTail: string;
  killedFor?: 'timeout' | 'shutdown' | 'over';
}

/** V8 prints this before it aborts. */
const OUT_OF_HEAP = /JavaScript heap out of memory|Array buffer allocation failed/;

/** Returns the failure to record if the record does not show how the attempt ended. */
export function endingFailure(ending: ProcessEnding, timeoutSeconds: number): JobFailure {
  const { exitCode, signal, errorTail, killedFor } = ending;
  if (killedFor === 'timeout') return timedOut(timeoutSeconds);
  if (killedFor === 'shutdown') return INTERRUPTED;
  if (OUT_OF_HEAP.test(errorTail) && exitCode !== EXIT.failed) return OUT_OF_MEMORY;
  if (signal === 'SIGKILL') return KILLED;
  if (exitCode === null) return crashed(signal ?? 'no exit code');
  return EXIT_FAILURES[exitCode] ?? crashed(`code ${exitCode}`);
}

export const timedOut = (seconds: number): JobFailure => failure({ reason: 'time_limit', seconds });
export const KILLED = failure({ reason: 'process_killed' });
export const crashed = (how: string): JobFailure => failure({ reason: 'process_crashed', how });

/** Omits the message, which may quote a cell. */
const FRAMES = 8;

export function describeFault(fault: unknown): { fault: string; fault_code: string; at: string } {
  if (!(fault instanceof Error)) return { fault: typeof fault, fault_code: '', at: '' };
  const frames = (fault.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const at = frames
    .slice(0, FRAMES)
    .map((line) => line.trim())
    .join(' < ');
  return { fault: fault.name, fault_code: 'code' in fault ? String(fault.code) : '', at };
}
