/**
 * A call that is owed to whoever asked to be told of the end of a job (`callback_url`). It is noted before the job starts
 * and told apart by the attempt, so that nothing that ends the job has to know of it:
 *
 *   POST /generate ──▶ owe ──▶ waiting ──take──▶ (a try) ──▶ note: delivered
 *                                 ▲                     ├──▶ note: waiting, due later
 *                                 └─────────────────────┘ └▶ note: failed, after the last try
 */

export const CALLBACK_STATES = ['waiting', 'delivered', 'failed'] as const;
export type CallbackState = (typeof CALLBACK_STATES)[number];

export interface Callback {
  jobId: string;
  attempt: number;
  /** Of the API key by whose secret the call is signed. */
  keyId: string;
  url: string;
  state: CallbackState;
  /** Tries made. */
  tries: number;
  /** ISO 8601, UTC: no try is made before. */
  dueAt: string;
  /** What the last try met, in words. */
  lastAnswer: string | null;
}

/** Seconds from one try to the next: seven tries within nine hours. */
export const WAITS_SECONDS: readonly number[] = [10, 60, 300, 1800, 7200, 21_600];

/** How long a try may take, and how long nobody else makes one: also where the process that tries dies. */
export const TRY_MS = 10_000;
export const TAKEN_MS = 30_000;

/** The longest address, in characters. */
export const MOST_URL_CHARACTERS = 2048;

/** Which addresses may be called: those of the public internet by https, or any by http too, as tests need it. */
export const CALLBACK_ADDRESSES = ['public', 'any'] as const;
export type CallbackAddresses = (typeof CALLBACK_ADDRESSES)[number];
