/** How a job's process ends, said once for the process and for the queue that watches it. */
import type { JobFailure } from './job.ts';

export const EXIT = {
  /** The job is done, and its record says so. */
  done: 0,
  /** The job failed, and its record says so. */
  failed: 10,
  /** The attempt was over, or run by another process: nothing was touched. */
  over: 11,
  /** The process was started without what it needs to know. */
  badEnvironment: 12,
  /** Failures that could not be written to the record, by what stood in the way. */
  storageFull: 13,
  storageUnavailable: 14,
  unrecorded: 15,
} as const;

/** What an exit code says where the record does not. */
export const EXIT_FAILURES: Readonly<Record<number, JobFailure>> = {
  [EXIT.storageFull]: {
    code: 'storage_full',
    message: 'The disk of the service is full: the job could not write. Send POST /generate again when there is room.',
  },
  [EXIT.storageUnavailable]: {
    code: 'storage_unavailable',
    message:
      'The job could not write to the data folder of the service. Send POST /generate again when it is writable.',
  },
  [EXIT.unrecorded]: {
    code: 'internal_error',
    message: 'The job failed and could not say why in its record. The log of the service has the reason.',
  },
};
