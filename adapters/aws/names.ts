/** Keys and indexes of the record table, shared with the infrastructure. */
export const RECORDS = {
  partitionKey: 'pk',
  /** By phase, and the time since when. */
  phaseIndex: 'byPhase',
  phase: 'phase',
  since: 'since',
  /** By key, creation time and id. */
  ownerIndex: 'byOwner',
  owner: 'keyId',
  made: 'made',
  /** Seconds since 1970; most items never expire. */
  expires: 'expires',
} as const;

/** Phase of waiting callbacks. */
export const CALLBACK_PHASE = 'callback';

/** Items by partition key. */
export const ITEMS = {
  jobPrefix: 'JOB#',
  keyPrefix: 'KEY#',
  answerPrefix: 'ANSWER#',
  callbackPrefix: 'CALLBACK#',
  callbackSecretPrefix: 'CALLBACK_SECRET#',
  /** `charges` is JSON; `version` counts writes. */
  ledgerPrefix: 'LEDGER#',
  /** Set `ids`. */
  keys: 'KEYS',
  /** Set `running`, and an attribute per slot with time and caller. */
  slots: 'SLOTS',
  /** Set `waiting`, an attribute per job, and when each key was served. */
  queue: 'QUEUE',
  total: 'TOTAL',
  /** `name` and `at`, from the last GPU job. */
  gpu: 'GPU',
  /** Written by the daily expiry. */
  clock: 'CLOCK',
  /** `seed` of the signing key; readable only for what signs receipts. */
  signing: 'SIGNING',
  /** Public key, for what only names it. */
  signingPublic: 'SIGNING_PUBLIC',
} as const;

/** Metrics that the reconciler writes and alarms and dashboard read. */
export const METRICS = {
  /** Once a minute. */
  started: 'JobsStarted',
  running: 'JobsRunning',
  slotsTaken: 'SlotsTaken',
  queued: 'JobsQueued',
  /** Longest wait for a machine (s); 0 if none waits. */
  oldestWaiting: 'OldestWaitingSeconds',
  /** At each end of a Batch run. */
  done: 'JobsDone',
  failed: 'JobsFailed',
  /** Engine did not start on the GPU. */
  gpuUnused: 'GpuJobsFailed',
  jobMinutes: 'JobMinutes',
} as const;

export type MetricName = (typeof METRICS)[keyof typeof METRICS];
