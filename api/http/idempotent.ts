import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import { describeFault } from '../../service/job/failures.ts';
import {
  CLAIM_MS,
  IDEMPOTENCY_KEY,
  KEPT_MS,
  MAX_ANSWER_CHARACTERS,
  RENEW_CLAIM_MS,
  type Settlement,
} from '../../service/ports.ts';
import type { ApiContext } from './context.ts';
import { type JsonObject, readJson } from './input.ts';
import { succeeded } from './refused.ts';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';
const REPLAYED_HEADER = 'Idempotent-Replayed';

const RETRY_SECONDS = 2;

interface Once<Kept> {
  /** Computed after the work, or instead of it. */
  digest(): string | Promise<string>;
  /** `settle` returns what to store in the work's transaction; unused, it is stored afterwards. */
  work(settle: (kept: Kept) => Promise<Settlement | undefined>): Promise<Kept>;
  kept: z.ZodType<Kept>;
  answer(kept: Kept): Response | Promise<Response>;
}

/**
 * Stores no refusals or failures, which made nothing and may be retried.
 * @throws `invalid_request` for a malformed key; `request_in_progress` (409, Retry-After) while the first request runs;
 * `idempotency_key_reused` (422) if that was a different one.
 */
export async function idempotent<Kept>(c: ApiContext, once: Once<Kept>): Promise<Response> {
  const key = c.req.header(IDEMPOTENCY_HEADER);
  if (key === undefined) return once.answer(await once.work(async () => undefined));
  if (!IDEMPOTENCY_KEY.test(key)) throw badKey();
  const { idempotency, clock, newId } = c.get('service');
  const [name, token] = [`${c.get('keyId')}#${key}`, newId()];
  const now = clock.now().getTime();
  const claim = await idempotency.claim(name, token, now, now + CLAIM_MS);
  if (claim.kind === 'pending') throw inProgress();
  if (claim.kind === 'claimed') return once.answer(await workOn(c, once, name, token));
  if (claim.digest !== (await once.digest())) throw reused();
  const answer = await once.answer(once.kept.parse(JSON.parse(claim.answer)));
  answer.headers.set(REPLAYED_HEADER, 'true');
  return answer;
}

/** Also throws what `readJson` throws. */
export async function startOnce<Kept>(
  c: ApiContext,
  kept: z.ZodType<Kept>,
  start: (body: JsonObject, settle: (kept: Kept) => Promise<Settlement | undefined>) => Promise<Kept>,
): Promise<Response> {
  const body = await readJson(c);
  return idempotent(c, {
    digest: () => digestOf(c, body),
    work: (settle) => start(body, settle),
    kept,
    answer: (reply) => c.json(succeeded(reply)),
  });
}

async function workOn<Kept>(c: ApiContext, once: Once<Kept>, name: string, token: string): Promise<Kept> {
  const { idempotency, clock } = c.get('service');
  const renewal = setInterval(() => {
    const now = clock.now().getTime();
    idempotency.claim(name, token, now, now + CLAIM_MS).catch(logged(c));
  }, RENEW_CLAIM_MS);
  let isSettled = false;
  const settle = async (kept: Kept): Promise<Settlement | undefined> => {
    const settlement = await settlementOf(c, once, kept);
    isSettled = settlement !== undefined;
    return settlement && { ...settlement, name, token };
  };
  try {
    const kept = await once.work(settle);
    clearInterval(renewal);
    if (!isSettled) await keep(c, once, name, token, kept).catch(logged(c));
    return kept;
  } catch (error) {
    clearInterval(renewal);
    await idempotency.drop(name, token).catch(logged(c));
    throw error;
  }
}

async function keep<Kept>(c: ApiContext, once: Once<Kept>, name: string, token: string, kept: Kept): Promise<void> {
  const { idempotency } = c.get('service');
  const settlement = await settlementOf(c, once, kept);
  if (!settlement) return idempotency.drop(name, token);
  await idempotency.settle(name, token, settlement, settlement.until);
}

/** Undefined if too long. */
async function settlementOf<Kept>(c: ApiContext, once: Once<Kept>, kept: Kept) {
  const answer = JSON.stringify(kept);
  if (answer.length > MAX_ANSWER_CHARACTERS) return undefined;
  return { digest: await once.digest(), answer, until: c.get('service').clock.now().getTime() + KEPT_MS };
}

/** The work is done, even if its answer could not be stored. */
const logged =
  (c: ApiContext) =>
  (error: unknown): void =>
    c.get('service').log.error('answer_not_kept', describeFault(error));

const digestOf = (c: ApiContext, body: JsonObject): string => digestOfParts([c.req.path, JSON.stringify(body)]);

export function digestOfParts(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}\n${part}`);
  return hash.digest('hex');
}

const badKey = () => new ServiceError({ reason: 'idempotency_key_malformed' });

const inProgress = () => new ServiceError({ reason: 'request_in_progress', seconds: RETRY_SECONDS });

const reused = () => new ServiceError({ reason: 'idempotency_key_reused' });
