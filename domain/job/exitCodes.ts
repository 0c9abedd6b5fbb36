/** How a job's process ends, said once for the process and for the queue that watches it. */
import { INTERNAL_ERROR, RECLAIMED, STORAGE_FULL, STORAGE_UNAVAILABLE } from './failures.ts';
import type { JobFailure } from './job.ts';

export const EXIT = {
  /** The job is done, and its record says so. */
  done: 0,
  /** The job failed, and its record says so. */
  failed: 10,
  /** The attempt was over, or is run by another process. */
  over: 11,
  /** The process was started without what it needs to know. */
  badEnvironment: 12,
  /** Failures that could not be written to the record, by what stood in the way. */
  storageFull: 13,
  storageUnavailable: 14,
  unrecorded: 15,
  /** The machine is being taken away: the attempt is `started` again, to be run by another process. Batch retries on it. */
  handedBack: 16,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What an exit code says where the record does not. */
export const EXIT_FAILURES: Readonly<Record<number, JobFailure>> = {
  [EXIT.storageFull]: STORAGE_FULL,
  [EXIT.storageUnavailable]: STORAGE_UNAVAILABLE,
  [EXIT.unrecorded]: INTERNAL_ERROR,
  [EXIT.handedBack]: RECLAIMED,
};
