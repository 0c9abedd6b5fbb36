/** A request that names itself by an Idempotency-Key, done once however often it comes: see `service/ports.ts`. */
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
/** Says of an answer that the work was done before. */
const REPLAYED_HEADER = 'Idempotent-Replayed';

const RETRY_SECONDS = 2;

interface Once<Kept> {
  /** Digest of all that the work depends on; computed when the work is settled, after it, or instead of it. */
  digest(): string | Promise<string>;
  /** `settle` gives what is kept in the same write as the work; where the work does not ask for it, it is kept afterwards. */
  work(settle: (kept: Kept) => Promise<Settlement | undefined>): Promise<Kept>;
  /** What the answer is made from, now and when the request comes again. */
  kept: z.ZodType<Kept>;
  answer(kept: Kept): Response | Promise<Response>;
}

/**
 * Without the header, the work's answer. With it: throws `invalid_request` where it is no key, `request_in_progress`
 * (409, Retry-After) while the first request of this key is at work, `idempotency_key_reused` (422) where that was
 * another one. What is refused or fails is not kept: nothing was made, and the request may be sent again.
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

/** As `idempotent`, for a request whose body and answer are JSON. Throws also what `readJson` throws. */
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

/** One that is too long is kept no longer than its claim: the record of it would not fit. */
async function keep<Kept>(c: ApiContext, once: Once<Kept>, name: string, token: string, kept: Kept): Promise<void> {
  const { idempotency } = c.get('service');
  const settlement = await settlementOf(c, once, kept);
  if (!settlement) return idempotency.drop(name, token);
  await idempotency.settle(name, token, settlement, settlement.until);
}

/** Undefined where the answer is too long to be kept. */
async function settlementOf<Kept>(c: ApiContext, once: Once<Kept>, kept: Kept) {
  const answer = JSON.stringify(kept);
  if (answer.length > MAX_ANSWER_CHARACTERS) return undefined;
  return { digest: await once.digest(), answer, until: c.get('service').clock.now().getTime() + KEPT_MS };
}

/** What was made is made, whether or not it could be noted that it was. */
const logged =
  (c: ApiContext) =>
  (error: unknown): void =>
    c.get('service').log.error('answer_not_kept', describeFault(error));

/** The digest of a JSON body, whatever the blanks in it. */
const digestOf = (c: ApiContext, body: JsonObject): string => digestOfParts([c.req.path, JSON.stringify(body)]);

export function digestOfParts(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}\n${part}`);
  return hash.digest('hex');
}

const badKey = () => new ServiceError({ reason: 'idempotency_key_malformed' });

const inProgress = () => new ServiceError({ reason: 'request_in_progress', seconds: RETRY_SECONDS });

const reused = () => new ServiceError({ reason: 'idempotency_key_reused' });
