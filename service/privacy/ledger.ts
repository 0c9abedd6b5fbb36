/**
 * What private tables of a table have cost their owner. The owner is the key that made the job, so that nobody sees or uses up
 * what others have. The table is known by its rows (`rowDigest.ts`), whatever file they came in.
 *
 *   price ──▶ start | enqueue                 one transaction: the record, the answer, the charge
 *                  │      condition: startable, this attempt, the slot, and the ledger as it was read for the price
 *                  ▼
 *   charged, not run ──run──▶ charged for good: only from here on does a process read cells
 *                  │
 *                  └──fail | failQueued | erase──▶ one transaction: the record, and the charge taken back by its id
 *
 * So a ledger has one charge for each attempt that ran or still may, at every moment and wherever a process dies. No claim
 * guards it that could lapse, and no clock decides.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import {
  MAX_EPSILON_PER_FILE,
  MAX_RELEASES_PER_FILE,
  MIN_DELTA,
  type PrivacyRequest,
  type PrivacySpent,
} from '../../packages/contract/privacy.ts';
import { epsilonOf, rhoOf } from '../../packages/numerics/privacy/accounting.ts';
import type { RowDigest } from '../../packages/tables/profile/rowDigest.ts';
import type { Job } from '../job/job.ts';
import { olderLedgerKey, readObject } from '../job/objectKeys.ts';
import type { Service } from '../service.ts';
import type { Charge, NewCharge } from './charges.ts';
import { findSharedRows } from './sharedRows.ts';

interface PrivateStart {
  job: Job;
  attempt: number;
  privacy: PrivacyRequest;
  /** Null for an upload of version 0.2 or earlier. */
  digest: RowDigest | null;
}

/** What a start costs by the ledger as it is now. */
export interface Price {
  charge: NewCharge;
  spent: PrivacySpent;
}

/** By owner and table. The hash keeps the names of both short; it hides neither. */
export const ledgerOf = (keyId: string, table: string): string =>
  createHash('sha256')
    .update(JSON.stringify([keyId, table]))
    .digest('hex');

/**
 * Gives a function that says what the start costs, to be asked again whenever the ledger was written since. Both throw
 * `invalid_parameter` where too little is left.
 */
export async function pricing(service: Service, start: PrivateStart): Promise<() => Promise<Price>> {
  const { job, attempt, privacy, digest } = start;
  if (!digest) throw new ServiceError({ reason: 'upload_of_older_version', job_id: job.id }, { field: 'privacy' });
  const ledger = ledgerOf(job.keyId, digest.table);
  const older = await readOlderLedger(service, job);
  const id = service.newId();
  const price = async (): Promise<Price> => {
    const { version, charges } = await service.jobs.ledger(ledger);
    refuseSpent([...older, ...charges], privacy);
    const own = { ...costOf(privacy), id, job_id: job.id, attempt, at: service.clock.now().toISOString() };
    const after = [...charges, own];
    return { charge: { ledger, version, charges: after, id }, spent: spentOf([...older, ...after], privacy) };
  };
  await price();
  const shared = await findSharedRows(service, { job, ledger, digest });
  if (!shared) return price;
  return async () => {
    const { charge, spent } = await price();
    return { charge, spent: { ...spent, shared_rows: shared } };
  };
}

// Sums of charges.

type Cost = Pick<Charge, 'epsilon' | 'delta' | 'rho'>;

const costOf = ({ epsilon, delta }: PrivacyRequest): Cost => ({ epsilon, delta, rho: rhoOf(epsilon, delta) });

function refuseSpent(spent: readonly Cost[], privacy: PrivacyRequest): void {
  const { epsilon } = privacy;
  if (spent.length >= MAX_RELEASES_PER_FILE) {
    throw new ServiceError({ reason: 'privacy_releases_spent', max: MAX_RELEASES_PER_FILE }, { field: 'privacy' });
  }
  if (costOf(privacy).rho <= roomIn(spent, privacy)) return;
  const [left, releases] = [leftIn(spent, privacy), spent.length];
  throw new ServiceError(
    { reason: 'privacy_budget_spent', epsilon, left, budget: MAX_EPSILON_PER_FILE, releases },
    { field: 'privacy.epsilon' },
  );
}

const smallestDelta = (costs: readonly Pick<Cost, 'delta'>[]): number => Math.min(...costs.map(({ delta }) => delta));

const rhoIn = (costs: readonly Cost[]): number => costs.reduce((sum, { rho }) => sum + rho, 0);

/** The ρ that one more table of this δ may cost: all together keep to the budget at the smallest δ of any. */
const roomIn = (spent: readonly Cost[], { delta }: PrivacyRequest): number =>
  rhoOf(MAX_EPSILON_PER_FILE, smallestDelta([...spent, { delta }])) - rhoIn(spent);

/** The largest ε of one more table of this δ, which a request of it is granted: rounded down. */
function leftIn(spent: readonly Cost[], privacy: PrivacyRequest): number {
  if (spent.length >= MAX_RELEASES_PER_FILE) return 0;
  const room = roomIn(spent, privacy);
  return room <= 0 ? 0 : Math.min(MAX_EPSILON_PER_FILE, Math.floor(100 * epsilonOf(room, privacy.delta)) / 100);
}

function spentOf(all: readonly Cost[], privacy: PrivacyRequest): PrivacySpent {
  const delta = smallestDelta(all);
  return {
    epsilon_spent: Number(epsilonOf(rhoIn(all), delta).toPrecision(6)),
    epsilon_left: leftIn(all, privacy),
    epsilon_budget: MAX_EPSILON_PER_FILE,
    delta,
    releases: all.length,
  };
}

// Ledgers of version 0.2: one for all owners of a file, by the hash of its bytes. They are read and never written.

const olderSchema = z.object({
  entries: z.array(z.object({ epsilon: z.number(), delta: z.number(), rho: z.number() })),
});

/** They count for whoever starts a job of that file: who was charged for what, they do not say. Throws `ledger_damaged`. */
async function readOlderLedger({ objects }: Service, { fileSha256 }: Job): Promise<Cost[]> {
  const key = olderLedgerKey(fileSha256);
  const found = await readObject(objects, key);
  if (!found) return [];
  try {
    const { entries } = olderSchema.parse(JSON.parse(new TextDecoder().decode(found)));
    // Nothing bounded δ from below then: one far below the bound would leave no budget at all.
    return entries.map(({ epsilon, delta, rho }) => ({ epsilon, delta: Math.max(delta, MIN_DELTA), rho }));
  } catch (cause) {
    throw new ServiceError({ reason: 'ledger_damaged', ledger: key }, { cause });
  }
}
