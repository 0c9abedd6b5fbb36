/** Failures that do not come from the job itself, in words for its client. */
import { JobError, ServiceError } from '../errors.ts';
import type { JobFailure } from './job.ts';

export const INTERRUPTED: JobFailure = {
  code: 'interrupted',
  message: 'The service was stopped while the job ran. Nothing is wrong with the job: send POST /generate again.',
};

export const RECLAIMED: JobFailure = {
  code: 'interrupted',
  message:
    'The machine was taken away while the job ran, each time that it was tried. Nothing is wrong with the job: send POST /generate again.',
};

export const NO_COMPUTE: JobFailure = {
  code: 'no_compute',
  message:
    'No machine could be had for the job. Send POST /generate again later; if it ends so again, tell the operator.',
};

export const VANISHED: JobFailure = {
  code: 'interrupted',
  message: 'The job was lost before a machine ran it. Nothing is wrong with the job: send POST /generate again.',
};

export const CANCELLED: JobFailure = {
  code: 'cancelled',
  message: 'The job was cancelled on request. Send POST /generate again to run it after all.',
};

export const OUT_OF_MEMORY: JobFailure = {
  code: 'out_of_memory',
  message:
    'The job needed more memory than it may have. Ask for fewer rows or columns, or leave out columns with very many levels.',
};

export const STORAGE_FULL: JobFailure = {
  code: 'storage_full',
  message: 'The disk of the service is full: the job could not write. Send POST /generate again when there is room.',
};

export const STORAGE_UNAVAILABLE: JobFailure = {
  code: 'storage_unavailable',
  message:
    'The job could not read or write the data folder of the service. Tell its operator, then send POST /generate again.',
};

export const INTERNAL_ERROR: JobFailure = {
  code: 'internal_error',
  message: 'The job failed through a fault of the service, not of the request. Tell its operator the job_id.',
};

/** What V8 throws, instead of aborting, where one array or string would be too large. */
const NO_ROOM = /allocation failed|Invalid (typed )?array (buffer )?length|Invalid string length/;

/** Whatever a run threw, as the job's `error`. */
export function failureFrom(thrown: unknown): JobFailure {
  if (thrown instanceof JobError) return { code: thrown.code, message: thrown.message };
  if (thrown instanceof ServiceError && thrown.code === 'storage_full') return STORAGE_FULL;
  if (thrown instanceof ServiceError && thrown.code === 'storage_unavailable') return STORAGE_UNAVAILABLE;
  if (thrown instanceof RangeError && NO_ROOM.test(thrown.message)) return OUT_OF_MEMORY;
  return INTERNAL_ERROR;
}
