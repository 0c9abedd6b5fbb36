import { ServiceError } from '../packages/contract/errors.ts';
import type { ReleasePolicy } from '../packages/contract/releasePolicy.ts';
import type { MachinePrices } from '../packages/synthesis/estimate/sizes.ts';
import type { CallbackAddresses } from './callback/callbackUrl.ts';
import type { HeavyWork } from './heavyWork.ts';
import type { Job } from './job/job.ts';
import type {
  CallbackStore,
  Capacity,
  Clock,
  ClockMarks,
  Gpu,
  IdempotencyStore,
  JobQueue,
  JobStore,
  KeyStore,
  Log,
  ObjectStore,
  Signer,
  UploadReader,
} from './ports.ts';

/** Retry-After when all slots are taken (s). */
export const RETRY_AFTER_SECONDS = 5;

/** Default limits of waiting jobs, in all and per key. */
export const MAX_QUEUED = { all: 100, perKey: 20 } as const;

export interface ServiceSettings {
  version: string;
  maxRunningJobs: number;
  maxRunningJobsPerKey?: number;
  maxQueuedJobs?: number;
  maxQueuedJobsPerKey?: number;
  /** Per key; unlimited by default. */
  jobsPerKey?: number | undefined;
  uploadBytesPerKey?: number | undefined;
  maxUploadBytes: number;
  /** Counted from the job's end, or from its upload if never started. */
  uploadRetentionHours: number;
  resultRetentionHours: number;
  /** For objects without a record. */
  orphanRetentionHours: number;
  /** Minimum policy of every table; none by default. */
  releasePolicy?: ReleasePolicy | null;
  /** Default `public`. */
  callbackAddresses?: CallbackAddresses;
  /** Omit for the operator's own machines. */
  prices?: MachinePrices;
}

export interface Service {
  jobs: JobStore;
  objects: ObjectStore;
  queue: JobQueue;
  /** Omit if each job has its own machine. */
  capacity?: Capacity | undefined;
  keys: KeyStore;
  idempotency: IdempotencyStore;
  callbacks: CallbackStore;
  signer: Signer;
  reader: UploadReader;
  work: HeavyWork;
  clock: Clock;
  clockMarks: ClockMarks;
  log: Log;
  gpu(): Promise<Gpu>;
  /** Unguessable. */
  newId(): string;
  settings: ServiceSettings;
}

/** Throws `invalid_job` alike if the job is missing or another key's. */
export async function findJob(service: Service, keyId: string, jobId: string): Promise<Job> {
  const job = await service.jobs.find(jobId);
  if (job && job.keyId === keyId) return job;
  throw jobUnknown(jobId);
}

export const jobUnknown = (jobId: string): ServiceError =>
  new ServiceError({ reason: 'job_unknown', job_id: jobId.slice(0, 64) });
