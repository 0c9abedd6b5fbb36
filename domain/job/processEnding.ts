/** What the end of a job's process means for the job. */
import { EXIT, EXIT_FAILURES } from './exitCodes.ts';
import { INTERRUPTED, OUT_OF_MEMORY } from './failures.ts';
import type { JobFailure } from './job.ts';

export interface ProcessEnding {
  exitCode: number | null;
  /** The name of the signal that ended it. */
  signal: string | null;
  /** The last of what it wrote to standard error. */
  errorTail: string;
  /** Why the process that started it ended it. */
  killedFor?: 'timeout' | 'shutdown' | 'over';
}

/** V8 says this, whatever part of its heap is full, before it aborts. */
const OUT_OF_HEAP = /JavaScript heap out of memory|Array buffer allocation failed/;

/** The failure to write where the record does not say how the attempt ended. */
export function failureOf(ending: ProcessEnding, timeoutSeconds: number): JobFailure {
  const { exitCode, signal, errorTail, killedFor } = ending;
  if (killedFor === 'timeout') return timedOut(timeoutSeconds);
  if (killedFor === 'shutdown') return INTERRUPTED;
  if (OUT_OF_HEAP.test(errorTail) && exitCode !== EXIT.failed) return OUT_OF_MEMORY;
  if (signal === 'SIGKILL') return KILLED;
  if (exitCode === null) return crashed(signal ?? 'no exit code');
  return EXIT_FAILURES[exitCode] ?? crashed(`code ${exitCode}`);
}

export const timedOut = (seconds: number): JobFailure => ({
  code: 'timeout',
  message: `The job ran for ${seconds} seconds, the longest that is allowed, and was ended. Ask for fewer rows, columns, draws or epochs.`,
});

export const KILLED: JobFailure = {
  code: 'crashed',
  message:
    'The process of the job was killed by the system, most often because memory ran out. Send POST /generate again, with fewer rows or columns.',
};

export const crashed = (how: string): JobFailure => ({
  code: 'crashed',
  message: `The process of the job ended unexpectedly (${how}). Send POST /generate again; if it ends so again, tell the operator of the service the job_id.`,
});
