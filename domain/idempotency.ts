/**
 * Requests that a client may send twice: it names each by an Idempotency-Key, and the answer to the first is kept under
 * that name, so that the same request sent again is answered and not done again.
 *
 *   claim ──▶ claimed ──▶ the work ──▶ done: settle (kept for KEPT_MS)
 *     │                          └──▶ refused or failed: release, as nothing was made
 *     ├──▶ pending: another request of this name is at work
 *     └──▶ settled: what the first was answered with
 *
 * A claim lapses where whoever made it no longer renews it.
 */

export const KEPT_MS = 86_400_000;

/** How long a claim holds, and how often who works on it renews it. */
export const CLAIM_MS = 30_000;
export const RENEW_CLAIM_MS = 10_000;

/** What a client may name a request: visible characters of ASCII. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;

/** What the first request was (a digest of its route and body), and what its answer is made from again. */
export interface KeptAnswer {
  digest: string;
  /** JSON text of at most `MOST_ANSWER_CHARACTERS`. */
  answer: string;
}

export const MOST_ANSWER_CHARACTERS = 16_384;

export type Claim = { kind: 'claimed' } | { kind: 'pending' } | ({ kind: 'settled' } & KeptAnswer);
