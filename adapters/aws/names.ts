/**
 * Names that the code and its deployment on AWS share: keys and indexes of the record table, and the service's own
 * figures.
 */

/** Names of the record table's keys and indexes, said once for the store and the infrastructure. */
export const RECORDS = {
  partitionKey: 'pk',
  /** Jobs by phase ('active' or 'ended') and the time since which they are in it. */
  phaseIndex: 'byPhase',
  phase: 'phase',
  since: 'since',
  /** Jobs by the key that made them, and by when, with their ids behind it. */
  ownerIndex: 'byOwner',
  owner: 'keyId',
  made: 'made',
  /** Seconds since 1970 after which the table erases an item; most items have none. */
  expires: 'expires',
} as const;

/** The phase in which calls stand that wait to be made, by when they are due. */
export const CALLBACK_PHASE = 'callback';

/** The items of the record table by their partition key. */
export const ITEMS = {
  jobPrefix: 'JOB#',
  keyPrefix: 'KEY#',
  /** Answers kept for requests that may come twice, by key and Idempotency-Key. */
  answerPrefix: 'ANSWER#',
  /** The outbox of callbacks, and the secrets of keys by which they are signed. */
  callbackPrefix: 'CALLBACK#',
  callbackSecretPrefix: 'CALLBACK_SECRET#',
  /** What private tables have cost, by the owner and the table; `charges` in JSON, and `version`, which counts its writes. */
  ledgerPrefix: 'LEDGER#',
  /** The ids of all keys, in the set `ids`. */
  keys: 'KEYS',
  /** The slots that are taken, in the set `running`; beside it, an attribute for each slot says when and by which call. */
  slots: 'SLOTS',
  /** The line: ids of the jobs that wait, in the set `waiting`; beside it, an attribute for each, and when each key was served. */
  queue: 'QUEUE',
  /** The number of jobs known, in `jobs`. */
  total: 'TOTAL',
  /** What the last job said of its GPU: `name` and `at`. */
  gpu: 'GPU',
  /** When the clock was last looked at, by the daily expiry: `seenAt` and `trustedFrom`. */
  clock: 'CLOCK',
  /** The signing key, in `seed`: to be read by what signs receipts, and by nothing else. */
  signing: 'SIGNING',
  /** Its public key, in `publicKey`, for what only names it. */
  signingPublic: 'SIGNING_PUBLIC',
} as const;

/** The service's own figures, said once for the reconciler that writes them and the alarms and dashboard that read them. */
export const METRICS = {
  /** Now, once a minute. */
  started: 'JobsStarted',
  running: 'JobsRunning',
  slotsTaken: 'SlotsTaken',
  /** Jobs that wait for a slot. */
  queued: 'JobsQueued',
  /** Seconds since the start of the job that has waited longest for a machine; 0 where none waits. */
  oldestWaiting: 'OldestWaitingSeconds',
  /** Each time that Batch says that a run is over. */
  done: 'JobsDone',
  failed: 'JobsFailed',
  /** Of those that failed: the engine did not start on the GPU. */
  gpuUnused: 'GpuJobsFailed',
  /** Minutes that a machine worked on it. */
  jobMinutes: 'JobMinutes',
} as const;

export type MetricName = (typeof METRICS)[keyof typeof METRICS];
