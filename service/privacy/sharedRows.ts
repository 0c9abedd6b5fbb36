/**
 * Whether most rows of a table were already used in another of its owner's private jobs. A table with one row more is another
 * table with a budget of its own, and nobody but its owner can add the two up: so the owner is told.
 *
 * Of every table a sample of at most 1,024 row hashes is kept beside the ledger (the smallest ones: two tables that share a row
 * keep it both or not at all), each under HMAC with the id of the owner's key, 64 random bits that the records have and the objects
 * have not. Whoever reads the objects alone sees random numbers, and can neither test a row nor compare the tables of two
 * owners. Whoever reads both can test a row that they know, as they could in the upload while that is kept. The sample outlives
 * the upload, as the ledger does, or there would be no warning about last month's table.
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
  /** The first private job of the table. */
  job_id: z.string(),
  at: z.string(),
  /** Rows whose hash is below this are in the sample if they are in the table. */
  limit: z.int(),
  rows: z.array(z.string()),
});
type RowSample = z.output<typeof sampleSchema>;

/** Tables that are compared, the latest first. */
const MAX_COMPARED = 200;
/** Rows that must be comparable, so that the share is known to a tenth or so. */
const MIN_COMPARED_ROWS = 20;
/** From here on the owner is told. */
const SHARE_TO_WARN_OF = 0.5;
/** Tables whose rows are mostly alike share rows by chance. */
const MIN_DISTINCT = 0.5;

interface PrivateTable {
  job: Job;
  ledger: string;
  digest: RowDigest;
}

/** The table of the owner with which this one shares most rows, if it shares most of its own. Keeps a sample of this one. */
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

/** Exact, or estimated by how densely the smallest hashes lie. */
const distinctRows = ({ smallest }: RowDigest): number => (smallest.length * ROW_HASHES) / limitOf(smallest);

/** Of the table's rows; 0 where too few of them are comparable. `hashes` are those of `own.rows`, in that order. */
function sharedShare(hashes: readonly number[], own: RowSample, other: RowSample): number {
  const theirs = new Set(other.rows);
  const comparable = own.rows.filter((_, at) => hashes[at]! < other.limit);
  if (comparable.length < MIN_COMPARED_ROWS) return 0;
  return comparable.filter((row) => theirs.has(row)).length / comparable.length;
}

/** Starts that came to nothing leave a sample, too. A ledger that cannot be read is one of a table that was used. */
async function wasUsed({ jobs }: Service, { ledger }: RowSample): Promise<boolean> {
  try {
    return (await jobs.ledger(ledger)).charges.length > 0;
  } catch (error) {
    if (error instanceof ServiceError && error.params.reason === 'ledger_damaged') return true;
    throw error;
  }
}

/** One that cannot be read is passed over: a warning may be missing, a start must not be. */
async function readSample({ objects, log }: Service, key: string): Promise<RowSample | undefined> {
  try {
    const found = await readObject(objects, key);
    return found && sampleSchema.parse(JSON.parse(new TextDecoder().decode(found)));
  } catch (error) {
    log.error('row_sample_not_read', { key, ...describeFault(error) });
    return undefined;
  }
}
