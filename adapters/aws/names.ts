/** Shared with the infrastructure. */
export const RECORDS = {
  partitionKey: 'pk',
  phaseIndex: 'byPhase',
  phase: 'phase',
  since: 'since',
  ownerIndex: 'byOwner',
  owner: 'keyId',
  made: 'made',
  /** Seconds since 1970; most items never expire. */
  expires: 'expires',
} as const;

export const CALLBACK_PHASE = 'callback';

/** Items by partition key. */
export const ITEMS = {
  jobPrefix: 'JOB#',
  keyPrefix: 'KEY#',
  answerPrefix: 'ANSWER#',
  callbackPrefix: 'CALLBACK#',
  callbackSecretPrefix: 'CALLBACK_SECRET#',
  ledgerPrefix: 'LEDGER#',
  /** Set `ids`. */
  keys: 'KEYS',
  slots: 'SLOTS',
  queue: 'QUEUE',
  total: 'TOTAL',
  /** From the last GPU job. */
  gpu: 'GPU',
  clock: 'CLOCK',
  /** Readable only for what signs receipts. */
  signing: 'SIGNING',
  signingPublic: 'SIGNING_PUBLIC',
} as const;

export const METRICS = {
  /** Once a minute. */
  started: 'JobsStarted',
  running: 'JobsRunning',
  slotsTaken: 'SlotsTaken',
  queued: 'JobsQueued',
  /** Longest wait for a machine (s); 0 if none waits. */
  oldestWaiting: 'OldestWaitingSeconds',
  done: 'JobsDone',
  failed: 'JobsFailed',
  /** The engine did not start on the GPU. */
  gpuUnused: 'GpuJobsFailed',
  jobMinutes: 'JobMinutes',
} as const;

export type MetricName = (typeof METRICS)[keyof typeof METRICS];
