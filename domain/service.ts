/** The service as its rules see it: the ports and settings that every use of it is given. */
import type { CallbackAddresses } from './callback/callback.ts';
import type { MachinePrices } from './estimate/prices.ts';
import type {
  AnswerStore,
  CallbackStore,
  Clock,
  Gpu,
  JobQueue,
  JobStore,
  KeyStore,
  Log,
  ObjectStore,
  Signer,
  UploadReader,
} from './ports.ts';
import type { ReleasePolicy } from './schema/releasePolicy.ts';

/** Bytes of the file part of an upload, at most (50 MB). */
export const MAX_UPLOAD_BYTES = 52_428_800;

/** Seconds after which a client that found all slots taken should ask again. */
export const RETRY_AFTER_SECONDS = 5;

export interface ServiceSettings {
  version: string;
  /** Jobs that may be active at once. */
  maxRunningJobs: number;
  maxUploadBytes: number;
  /** How long an upload is kept after its job ended (or, never started, after it came), and how long a result is. */
  uploadRetentionHours: number;
  resultRetentionHours: number;
  /** What tables must keep to where a request does not say; nothing where left out. */
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
  keys: KeyStore;
  answers: AnswerStore;
  callbacks: CallbackStore;
  signer: Signer;
  reader: UploadReader;
  clock: Clock;
  log: Log;
  gpu(): Promise<Gpu>;
  /** A fresh identifier that cannot be guessed. */
  newId(): string;
  settings: ServiceSettings;
}
