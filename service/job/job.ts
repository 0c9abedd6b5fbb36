import { z } from 'zod';
import type { JobEvent } from '../../packages/contract/events.ts';
import type { JobMetrics } from '../../packages/contract/metrics.ts';
import type { JobFailure } from '../../packages/contract/problems.ts';
import type { JobReceipt } from '../../packages/contract/receipt.ts';
import type { JobRequest } from '../../packages/contract/requests.ts';
import type { JobState } from '../../packages/contract/states.ts';

/**
 *    uploaded ──start──▶ started ──run──▶ running ──finish──▶ done
 *       │                   ▲ │              │
 *    enqueue           turn │ └─────fail─────┴──▶ failed ──start──▶ started (attempt + 1)
 *       └────▶ queued ──────┘                       │
 *                 ▲  └───────────fail──────▲        │
 *                 └─────────────────────────────enqueue (attempt + 1)
 *
 * On AWS, running ──handBack──▶ started when a machine is reclaimed. On one machine, an interrupted attempt is
 * restarted once, as the next attempt.
 */
export interface Job {
  id: string;
  /** Other keys cannot see the job. */
  keyId: string;
  state: JobState;
  /** 0 until the first start. Every write of a run names its attempt. */
  attempt: number;
  fileName: string;
  fileBytes: number;
  /** Hexadecimal; null in records of version 0.1. */
  fileSha256: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** Null if the latest attempt did not wait. */
  queuedAt: string | null;
  startedAt: string | null;
  endedAt: string | null;
  /** Of the latest start, with its seed. */
  request: JobRequest | null;
  /** Null in records older than the queue. */
  estimate: JobEstimate | null;
  /** Text lines in records of version 0.1. */
  progress: JobEvent[];
  metrics: JobMetrics | null;
  receipt: JobReceipt | null;
  releasedAt: string | null;
  error: JobFailure | null;
}

/** `seconds` is null if unknown. */
export const jobEstimateSchema = z.object({ memoryMb: z.number(), seconds: z.number().nullable() });
export type JobEstimate = z.output<typeof jobEstimateSchema>;

export type NewJob = Pick<Job, 'id' | 'keyId' | 'fileName' | 'fileBytes' | 'fileSha256' | 'createdAt'>;

export interface Attempt {
  jobId: string;
  attempt: number;
}

export const isActive = (state: JobState): boolean => state === 'started' || state === 'running';

export const isUnderWay = (state: JobState): boolean => state === 'queued' || isActive(state);

/** Names the attempt, so that its late calls cannot free the next one's slot. */
export const slotOf = (jobId: string, attempt: number): string => `${jobId}#${attempt}`;

export function jobOfSlot(slot: string): Attempt {
  const at = slot.lastIndexOf('#');
  return { jobId: slot.slice(0, at), attempt: Number(slot.slice(at + 1)) };
}

/** Undefined if the job fits its own model. */
export const sourceOf = ({ request }: Pick<Job, 'request'>): { job_id: string; attempt: number } | undefined =>
  request?.sample_of;
