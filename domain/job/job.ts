/** A job: one upload and at most one successful run over it. */
import type { JobErrorCode } from '../errors.ts';
import type { JobMetrics } from '../schema/metrics.ts';
import type { JobRequest } from '../schema/sampleRequest.ts';

/**
 *   uploaded ──start──▶ started ──run──▶ running ──finish──▶ done
 *                          │                │
 *                          └─────fail───────┴──▶ failed ──start──▶ started (attempt + 1)
 *
 * Where the machine of a running job may be taken away (AWS), running ──handBack──▶ started: the same attempt waits for
 * another machine.
 */
export const JOB_STATES = ['uploaded', 'started', 'running', 'done', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

export interface JobFailure {
  code: JobErrorCode;
  message: string;
}

export interface Job {
  id: string;
  /** The key that uploaded it: to any other key the job is unknown. */
  keyId: string;
  state: JobState;
  /** 0 until the first start; each start adds one. Every write of a run names its attempt. */
  attempt: number;
  fileName: string;
  fileBytes: number;
  /** ISO 8601, UTC. */
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** The request of the latest start, its seed filled in. */
  request: JobRequest | null;
  progress: string[];
  metrics: JobMetrics | null;
  /** When the owner gave out rows that the release policy withheld. */
  releasedAt: string | null;
  error: JobFailure | null;
}

/** One run of a job, by its number. */
export interface Attempt {
  jobId: string;
  attempt: number;
}

export const isActive = (state: JobState): boolean => state === 'started' || state === 'running';

/**
 * The name under which an attempt holds one of the slots. It names the attempt, so that a late release by an ended
 * attempt cannot free the slot of the next one.
 */
export const slotOf = (jobId: string, attempt: number): string => `${jobId}#${attempt}`;

export function jobOfSlot(slot: string): Attempt {
  const at = slot.lastIndexOf('#');
  return { jobId: slot.slice(0, at), attempt: Number(slot.slice(at + 1)) };
}
