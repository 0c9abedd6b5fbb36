/** A job as Batch keeps it, and the three views of it that Batch gives out. */
import type { RetryStrategy } from './wire.ts';

export const STATUSES = ['SUBMITTED', 'PENDING', 'RUNNABLE', 'STARTING', 'RUNNING', 'SUCCEEDED', 'FAILED'] as const;
export type BatchStatus = (typeof STATUSES)[number];

export interface RunOfJob {
  container: { exitCode?: number; reason?: string; taskArn: string; logStreamName: string };
  /** Milliseconds since 1970. */
  startedAt: number;
  stoppedAt: number;
  statusReason: string;
}

export interface BatchJob {
  jobId: string;
  jobArn: string;
  jobName: string;
  /** ARNs. */
  jobQueue: string;
  jobDefinition: string;
  status: BatchStatus;
  statusReason?: string;
  createdAt: number;
  startedAt?: number;
  stoppedAt?: number;
  attempts: RunOfJob[];
  retryStrategy: RetryStrategy;
  timeoutSeconds: number | undefined;
  environment: { name: string; value: string }[];
  parameters: Record<string, string>;
  tags: Record<string, string>;
  propagateTags: boolean;
  platform: 'EC2' | 'FARGATE';
}

export const hasEnded = (job: BatchJob): boolean => job.status === 'SUCCEEDED' || job.status === 'FAILED';

export const summaryOf = (job: BatchJob) => ({
  jobArn: job.jobArn,
  jobId: job.jobId,
  jobName: job.jobName,
  jobDefinition: job.jobDefinition,
  createdAt: job.createdAt,
  status: job.status,
  statusReason: job.statusReason,
  startedAt: job.startedAt,
  stoppedAt: job.stoppedAt,
  container: lastContainer(job),
});

export const detailOf = (job: BatchJob) => ({
  ...summaryOf(job),
  jobQueue: job.jobQueue,
  attempts: job.attempts,
  retryStrategy: job.retryStrategy,
  timeout: job.timeoutSeconds === undefined ? undefined : { attemptDurationSeconds: job.timeoutSeconds },
  dependsOn: [],
  parameters: job.parameters,
  tags: job.tags,
  propagateTags: job.propagateTags,
  platformCapabilities: [job.platform],
  isCancelled: false,
  isTerminated: job.status === 'FAILED' && job.statusReason?.startsWith('Terminated') === true,
  container: { environment: job.environment, volumes: [], mountPoints: [], ulimits: [], ...lastContainer(job) },
});

const lastContainer = (job: BatchJob) => job.attempts.at(-1)?.container;
