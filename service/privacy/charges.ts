/** The ledger of a table as stores keep it: what each private table of it has cost. */
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';

const chargeSchema = z.object({
  /** Its own: by nothing else is it taken back. */
  id: z.string(),
  job_id: z.string(),
  /** The attempt that was charged; one that was interrupted goes on under the next number. */
  attempt: z.int(),
  epsilon: z.number(),
  delta: z.number(),
  rho: z.number(),
  at: z.string(),
});
export type Charge = z.output<typeof chargeSchema>;

const chargesSchema = z.array(chargeSchema);

/** A ledger as it was read. `version` names that state of it, and is 0 where nothing was ever charged. */
export interface Ledger {
  version: number;
  charges: readonly Charge[];
}

export const EMPTY_LEDGER: Ledger = { version: 0, charges: [] };

/** A charge that is to be written with the start of an attempt, to a ledger that is still at this version. */
export interface NewCharge {
  ledger: string;
  version: number;
  /** All charges of the ledger, the new one among them. */
  charges: readonly Charge[];
  /** The new one's. */
  id: string;
}

/** The charge that an attempt holds until it runs: where it ends before, that one is taken back. */
export const heldChargeSchema = z.object({ ledger: z.string(), id: z.string() });
export type HeldCharge = z.output<typeof heldChargeSchema>;

/** Throws `ledger_damaged`: a ledger that cannot be read must not count as an empty one. */
export function parseCharges(ledger: string, read: () => unknown): Charge[] {
  try {
    return chargesSchema.parse(read());
  } catch (cause) {
    throw new ServiceError({ reason: 'ledger_damaged', ledger }, { cause });
  }
}
