/** The service as its rules see it: the ports and settings that every use of it is given. */

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

/** Seconds after which a client that found all slots taken should ask again. */
export const RETRY_AFTER_SECONDS = 5;

/** Jobs that may wait for a slot, of all keys and of one, where the operator says nothing. */
export const MAX_QUEUED = { all: 100, perKey: 20 } as const;

export interface ServiceSettings {
  version: string;
  /** Jobs that may be active at once. */
  maxRunningJobs: number;
  /** Those of one key; as many where left out. */
  maxRunningJobsPerKey?: number;
  /** Jobs that may wait for a slot, and those of one key; `MAX_QUEUED` where left out. */
  maxQueuedJobs?: number;
  maxQueuedJobsPerKey?: number;
  /** Jobs that the service keeps for one key, and bytes of their uploads; any number where left out. */
  jobsPerKey?: number | undefined;
  uploadBytesPerKey?: number | undefined;
  maxUploadBytes: number;
  /** How long an upload is kept after its job ended (or, never started, after it came), and how long a result is. */
  uploadRetentionHours: number;
  resultRetentionHours: number;
  /** How long objects are kept that no record knows: of an upload that was cut off, or of records that were lost. */
  orphanRetentionHours: number;
  /** What every table must keep to, whatever its request says; nothing where left out. */
  releasePolicy?: ReleasePolicy | null;
  /** Which addresses a `callback_url` may name; public ones where left out. */
  callbackAddresses?: CallbackAddresses;
  /** What the machines of jobs cost; left out where they are the operator's own. */
  prices?: MachinePrices;
}

export interface Service {
  jobs: JobStore;
  objects: ObjectStore;
  queue: JobQueue;
  /** Left out where each job has a machine of its own. */
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
  /** A fresh identifier that cannot be guessed. */
  newId(): string;
  settings: ServiceSettings;
}

/** The key's own job. Throws `invalid_job` where there is none, or where it belongs to another key, which a client cannot tell apart. */
export async function findJob(service: Service, keyId: string, jobId: string): Promise<Job> {
  const job = await service.jobs.find(jobId);
  if (job && job.keyId === keyId) return job;
  throw jobUnknown(jobId);
}

export const jobUnknown = (jobId: string): ServiceError =>
  new ServiceError({ reason: 'job_unknown', job_id: jobId.slice(0, 64) });
