import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';

const chargeSchema = z.object({
  /** Only this id takes the charge back. */
  id: z.string(),
  job_id: z.string(),
  /** An interrupted attempt continues under the next number. */
  attempt: z.int(),
  epsilon: z.number(),
  delta: z.number(),
  rho: z.number(),
  at: z.string(),
});
export type Charge = z.output<typeof chargeSchema>;

const chargesSchema = z.array(chargeSchema);

/** `version` is 0 before the first charge. */
export interface Ledger {
  version: number;
  charges: readonly Charge[];
}

export const EMPTY_LEDGER: Ledger = { version: 0, charges: [] };

/** A charge to write with a start, if the ledger still has this version. */
export interface NewCharge {
  ledger: string;
  version: number;
  /** Includes the new charge. */
  charges: readonly Charge[];
  id: string;
}

/** Taken back if the attempt ends before it runs. */
export const heldChargeSchema = z.object({ ledger: z.string(), id: z.string() });
export type HeldCharge = z.output<typeof heldChargeSchema>;

/** Throws `ledger_damaged`: an unreadable ledger must not count as empty. */
export function parseCharges(ledger: string, read: () => unknown): Charge[] {
  try {
    return chargesSchema.parse(read());
  } catch (cause) {
    throw new ServiceError({ reason: 'ledger_damaged', ledger }, { cause });
  }
}
