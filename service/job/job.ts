/** A job: one upload and at most one successful run over it. */
import { z } from 'zod';
import type { JobEvent } from '../../packages/contract/events.ts';
import type { JobMetrics } from '../../packages/contract/metrics.ts';
import type { JobFailure } from '../../packages/contract/problems.ts';
import type { JobReceipt } from '../../packages/contract/receipt.ts';
import type { JobRequest } from '../../packages/contract/requests.ts';
import type { JobState } from '../../packages/contract/states.ts';

/**
 *   uploaded ──start──▶ started ──run──▶ running ──finish──▶ done
 *      │                   ▲ │              │
 *   enqueue           turn │ └─────fail─────┴──▶ failed ──start──▶ started (attempt + 1)
 *      └────▶ queued ──────┘                       │
 *                ▲  └───────────fail──────▲        │
 *                └─────────────────────────────enqueue (attempt + 1)
 *
 * Where the machine of a running job may be taken away (AWS), running ──handBack──▶ started: the same attempt waits for
 * another machine. On one machine an interrupted attempt is started again, once, as the next attempt.
 */
export interface Job {
  id: string;
  /** The key that uploaded it: to any other key the job is unknown. */
  keyId: string;
  state: JobState;
  /** 0 until the first start; each start adds one. Every write of a run names its attempt. */
  attempt: number;
  fileName: string;
  fileBytes: number;
  /** Of the upload as it came, hexadecimal. */
  fileSha256: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** When the latest attempt began to wait for a slot; null where it did not have to. */
  queuedAt: string | null;
  startedAt: string | null;
  endedAt: string | null;
  /** The request of the latest start, its seed filled in. */
  request: JobRequest | null;
  /** What that is expected to take; null in records of before there was a queue. */
  estimate: JobEstimate | null;
  /** Progress of the latest start. */
  progress: JobEvent[];
  metrics: JobMetrics | null;
  receipt: JobReceipt | null;
  /** When rows that the release policy withheld were released. */
  releasedAt: string | null;
  error: JobFailure | null;
}

/** What an attempt is expected to take; `seconds` is null where nobody can say. */
export const jobEstimateSchema = z.object({ memoryMb: z.number(), seconds: z.number().nullable() });
export type JobEstimate = z.output<typeof jobEstimateSchema>;

/** What a job begins with. */
export type NewJob = Pick<Job, 'id' | 'keyId' | 'fileName' | 'fileBytes' | 'fileSha256' | 'createdAt'>;

/** One run of a job, by its number. */
export interface Attempt {
  jobId: string;
  attempt: number;
}

/** An active job holds a slot. */
export const isActive = (state: JobState): boolean => state === 'started' || state === 'running';

/** Its attempt is not over. */
export const isUnderWay = (state: JobState): boolean => state === 'queued' || isActive(state);

/**
 * The name under which an attempt holds one of the slots. It names the attempt, so that a late call by an ended
 * attempt cannot free the slot of the next one.
 */
export const slotOf = (jobId: string, attempt: number): string => `${jobId}#${attempt}`;

export function jobOfSlot(slot: string): Attempt {
  const at = slot.lastIndexOf('#');
  return { jobId: slot.slice(0, at), attempt: Number(slot.slice(at + 1)) };
}

// A sample: rows drawn from the model of another job, which is done. It is a job of its own, without an upload.

/** The job whose model makes the rows; undefined where the job fits one itself. */
export const sourceOf = ({ request }: Pick<Job, 'request'>): { job_id: string; attempt: number } | undefined =>
  request?.sample_of;
