/**
 * Budgets per key, so that nobody sees or uses up another's, and per table, identified by its rows (`rowDigest.ts`):
 *
 *   price ──▶ start | enqueue       one transaction: record, answer, charge
 *                  │                condition: startable, attempt, slot, unchanged ledger
 *                  ▼
 *   charged ──run──▶ charged for good: only now does a process read cells
 *      │
 *      └──fail | failQueued | erase──▶ one transaction: record, charge taken back
 *
 * So each attempt that ran or may run has one charge, wherever a process dies.
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
  /** Null for uploads of version 0.2 or earlier. */
  digest: RowDigest | null;
}

export interface Price {
  charge: NewCharge;
  spent: PrivacySpent;
}

/** The hash hides neither. */
export const ledgerOf = (keyId: string, table: string): string =>
  createHash('sha256')
    .update(JSON.stringify([keyId, table]))
    .digest('hex');

/** Returns a function that prices the start; call it again if the ledger changes. Both throw `invalid_parameter`. */
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

/** The ρ left for this δ: all releases keep to the budget at their smallest δ. */
const roomIn = (spent: readonly Cost[], { delta }: PrivacyRequest): number =>
  rhoOf(MAX_EPSILON_PER_FILE, smallestDelta([...spent, { delta }])) - rhoIn(spent);

/** Largest ε that is granted for this δ, rounded down. */
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

// Ledgers of version 0.2, one per file, are read-only.

const olderSchema = z.object({
  entries: z.array(z.object({ epsilon: z.number(), delta: z.number(), rho: z.number() })),
});

/** Counts for every owner, since it does not record who was charged. Throws `ledger_damaged`. */
async function readOlderLedger({ objects }: Service, { fileSha256 }: Job): Promise<Cost[]> {
  const key = olderLedgerKey(fileSha256);
  const found = await readObject(objects, key);
  if (!found) return [];
  try {
    const { entries } = olderSchema.parse(JSON.parse(new TextDecoder().decode(found)));
    // Version 0.2 did not bound δ; a tiny one would leave no budget.
    return entries.map(({ epsilon, delta, rho }) => ({ epsilon, delta: Math.max(delta, MIN_DELTA), rho }));
  } catch (cause) {
    throw new ServiceError({ reason: 'ledger_damaged', ledger: key }, { cause });
  }
}
