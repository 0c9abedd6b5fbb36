/**
 * What private tables of a file have cost, by the hash of its bytes: whoever makes them, and long after their jobs are
 * erased. A file with one row changed is another source with a ledger of its own.
 */
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import { MAX_EPSILON_PER_FILE, type PrivacyRequest, type PrivacySpent } from '../../packages/contract/privacy.ts';
import { epsilonOf, rhoOf } from '../../packages/numerics/privacy/accounting.ts';
import type { Job } from '../job/job.ts';
import { ledgerKey, readObject } from '../job/objectKeys.ts';
import { CLAIM_MS } from '../ports.ts';
import type { Service } from '../service.ts';

const ledgerSchema = z.object({
  entries: z.array(
    z.object({
      job_id: z.string(),
      attempt: z.int(),
      epsilon: z.number(),
      delta: z.number(),
      rho: z.number(),
      at: z.string(),
    }),
  ),
});

type Ledger = z.output<typeof ledgerSchema>;

interface Charge {
  job: Job;
  attempt: number;
  privacy: PrivacyRequest;
}

/**
 * Charges the start of a private job, and gives it back where `start` throws: then nothing was measured. An attempt that is
 * started and fails stays charged. Throws `invalid_parameter` where too little is left.
 */
export async function chargeStart<T>(
  service: Service,
  { job, attempt, privacy }: Charge,
  start: (spent: PrivacySpent) => Promise<T>,
): Promise<T> {
  const { epsilon, delta } = privacy;
  const key = ledgerKey(job.fileSha256 ?? job.id);
  return alone(service, key, job.id, async () => {
    const before = await readLedger(service, key);
    refuseSpent(before, privacy);
    const at = service.clock.now().toISOString();
    const own = { job_id: job.id, attempt, epsilon, delta, rho: rhoOf(epsilon, delta), at };
    const after = { entries: [...before.entries, own] };
    await writeLedger(service, key, after);
    try {
      return await start(spentOf(after));
    } catch (error) {
      // Not `before`: a start that outlived its claim may have let another in.
      const { entries } = await readLedger(service, key);
      const isOwn = (entry: Ledger['entries'][number]) => entry.job_id === job.id && entry.attempt === attempt;
      await writeLedger(service, key, { entries: entries.filter((entry) => !isOwn(entry)) });
      throw error;
    }
  });
}

function refuseSpent(ledger: Ledger, { epsilon, delta }: PrivacyRequest): void {
  const own = { rho: rhoOf(epsilon, delta), delta };
  if (togetherOf([...ledger.entries, own]) <= MAX_EPSILON_PER_FILE) return;
  const { epsilon_left: left, releases } = spentOf(ledger);
  throw new ServiceError(
    { reason: 'privacy_budget_spent', epsilon, left, budget: MAX_EPSILON_PER_FILE, releases },
    { field: 'privacy.epsilon' },
  );
}

/** ε of all entries, by the smallest δ that one of them keeps to. */
const togetherOf = (entries: readonly { rho: number; delta: number }[]): number =>
  entries.length === 0
    ? 0
    : epsilonOf(
        entries.reduce((sum, { rho }) => sum + rho, 0),
        Math.min(...entries.map(({ delta }) => delta)),
      );

function spentOf({ entries }: Ledger): PrivacySpent {
  const spent = togetherOf(entries);
  const delta = entries.length === 0 ? null : Math.min(...entries.map((entry) => entry.delta));
  return {
    ...{ epsilon_spent: rounded(spent), epsilon_left: leftOf(entries), delta },
    ...{ epsilon_budget: MAX_EPSILON_PER_FILE, releases: entries.length },
  };
}

/** The largest ε that one more table may have, at the same δ: costs add up as ρ, so that it is more than the difference. */
function leftOf(entries: Ledger['entries']): number {
  const [first] = entries;
  if (!first) return MAX_EPSILON_PER_FILE;
  const delta = Math.min(...entries.map((entry) => entry.delta));
  const room = rhoOf(MAX_EPSILON_PER_FILE, delta) - entries.reduce((sum, { rho }) => sum + rho, 0);
  return room <= 0 ? 0 : Math.floor(100 * epsilonOf(room, delta)) / 100;
}

const rounded = (epsilon: number): number => Number(epsilon.toPrecision(6));

async function readLedger({ objects }: Service, key: string): Promise<Ledger> {
  const found = await readObject(objects, key);
  return found ? ledgerSchema.parse(JSON.parse(new TextDecoder().decode(found))) : { entries: [] };
}

async function writeLedger({ objects }: Service, key: string, ledger: Ledger): Promise<void> {
  await objects.put(key, new TextEncoder().encode(JSON.stringify(ledger)));
}

// One at a time: of two starts at once, the second sees what the first has spent.

const TRIES = 40;
const PAUSE_MS = 250;

async function alone<T>(service: Service, key: string, jobId: string, work: () => Promise<T>): Promise<T> {
  const { idempotency, clock, newId } = service;
  const token = newId();
  for (let tries = 0; ; tries++) {
    const now = clock.now().getTime();
    if ((await idempotency.claim(key, token, now, now + CLAIM_MS)).kind === 'claimed') break;
    if (tries === TRIES) throw new ServiceError({ reason: 'job_being_started', job_id: jobId });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  try {
    return await work();
  } finally {
    await idempotency.drop(key, token);
  }
}
