/**
 * Warns if most rows were used in another private job of the owner: a table with one more row has its own budget, and
 * only the owner can add them up.
 *
 * Compares samples of row hashes under HMAC with the key's id, which objects lack, so that objects alone cannot test a
 * row or link owners. Records and objects together can test a known row, as the upload could. Samples outlive uploads,
 * as ledgers do, to cover older tables.
 */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { PrivacySpent } from '../../packages/contract/privacy.ts';
import { ROW_HASHES, type RowDigest, SMALLEST_ROWS } from '../../packages/tables/profile/rowDigest.ts';
import { sha256Of } from '../hashing.ts';
import { describeFault } from '../job/failures.ts';
import type { Job } from '../job/job.ts';
import { readObject, rowSampleKey, rowSamplesPrefix } from '../job/objectKeys.ts';
import type { Service } from '../service.ts';

export type SharedRows = NonNullable<PrivacySpent['shared_rows']>;

const sampleSchema = z.object({
  ledger: z.string(),
  job_id: z.string(),
  at: z.string(),
  /** The sample contains all rows with hashes below this. */
  limit: z.int(),
  rows: z.array(z.string()),
});
type RowSample = z.output<typeof sampleSchema>;

const MAX_COMPARED = 200;
/** Enough to know the share to about 0.1. */
const MIN_COMPARED_ROWS = 20;
const SHARE_TO_WARN_OF = 0.5;
/** Tables of mostly equal rows share rows by chance. */
const MIN_DISTINCT = 0.5;

interface PrivateTable {
  job: Job;
  ledger: string;
  digest: RowDigest;
}

/** Also stores this table's sample. */
export async function findSharedRows(service: Service, table: PrivateTable): Promise<SharedRows | undefined> {
  const { job, ledger, digest } = table;
  const owner = sha256Of(new TextEncoder().encode(job.keyId));
  const own = sampleOf(service, table);
  const times = await service.objects.times(rowSamplesPrefix(owner));
  const ownKey = rowSampleKey(owner, ledger);
  if (!times.has(ownKey)) await service.objects.put(ownKey, new TextEncoder().encode(JSON.stringify(own)));
  if (distinctRows(digest) < MIN_DISTINCT * digest.rows) return undefined;
  const others = [...times].filter(([key]) => key !== ownKey).sort(([, a], [, b]) => b - a);
  let most: SharedRows | undefined;
  for (const [key] of others.slice(0, MAX_COMPARED)) {
    const other = await readSample(service, key);
    if (!other) continue;
    const share = sharedShare(digest.smallest, own, other);
    if (share <= Math.max(SHARE_TO_WARN_OF, most?.share ?? 0) || !(await wasUsed(service, other))) continue;
    most = { share: Number(share.toFixed(2)), job_id: other.job_id, at: other.at };
  }
  return most;
}

function sampleOf({ clock }: Service, { job, ledger, digest }: PrivateTable): RowSample {
  return {
    ledger,
    job_id: job.id,
    at: clock.now().toISOString(),
    limit: limitOf(digest.smallest),
    rows: digest.smallest.map((hash) =>
      createHmac('sha256', job.keyId).update(`row ${hash}`).digest('hex').slice(0, 12),
    ),
  };
}

const limitOf = (smallest: readonly number[]): number =>
  smallest.length < SMALLEST_ROWS ? ROW_HASHES : smallest.at(-1)! + 1;

/** Exact, or estimated from the density of the smallest hashes. */
const distinctRows = ({ smallest }: RowDigest): number => (smallest.length * ROW_HASHES) / limitOf(smallest);

/** Returns 0 if too few rows are comparable. `hashes` are in the order of `own.rows`. */
function sharedShare(hashes: readonly number[], own: RowSample, other: RowSample): number {
  const theirs = new Set(other.rows);
  const comparable = own.rows.filter((_, at) => hashes[at]! < other.limit);
  if (comparable.length < MIN_COMPARED_ROWS) return 0;
  return comparable.filter((row) => theirs.has(row)).length / comparable.length;
}

/** Failed starts leave samples too; an unreadable ledger counts as used. */
async function wasUsed({ jobs }: Service, { ledger }: RowSample): Promise<boolean> {
  try {
    return (await jobs.ledger(ledger)).charges.length > 0;
  } catch (error) {
    if (error instanceof ServiceError && error.params.reason === 'ledger_damaged') return true;
    throw error;
  }
}

/** A missing warning must not block a start. */
async function readSample({ objects, log }: Service, key: string): Promise<RowSample | undefined> {
  try {
    const found = await readObject(objects, key);
    return found && sampleSchema.parse(JSON.parse(new TextDecoder().decode(found)));
  } catch (error) {
    log.error('row_sample_not_read', { key, ...describeFault(error) });
    return undefined;
  }
}
