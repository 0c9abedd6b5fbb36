/** All but `readLedger` need the caller's transaction. */
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import {
  EMPTY_LEDGER,
  type HeldCharge,
  heldChargeSchema,
  type Ledger,
  type NewCharge,
  parseCharges,
} from '../../service/privacy/charges.ts';
import type { Database } from './database.ts';

const rowSchema = z.object({ version: z.int(), charges: z.string() });

export function readLedger(database: Database, ledger: string): Ledger {
  const row = database.prepare('SELECT version, charges FROM ledgers WHERE id = ?').get(ledger);
  if (!row) return EMPTY_LEDGER;
  const { version, charges } = rowSchema.parse(row);
  return { version, charges: parseCharges(ledger, () => JSON.parse(charges)) };
}

/** Returns false if the ledger has changed. */
export function addCharge(database: Database, { ledger, version, charges }: NewCharge): boolean {
  const text = JSON.stringify(charges);
  const statement =
    version === 0
      ? database.prepare('INSERT INTO ledgers (charges, id, version) VALUES (?, ?, ? + 1) ON CONFLICT DO NOTHING')
      : database.prepare('UPDATE ledgers SET charges = ?, version = version + 1 WHERE id = ? AND version = ?');
  return Number(statement.run(text, ledger, version).changes) > 0;
}

export const heldText = ({ ledger, id }: HeldCharge): string => JSON.stringify({ ledger, id });

export function heldCharge(database: Database, jobId: string): HeldCharge | undefined {
  const charge = database.prepare('SELECT charge FROM jobs WHERE id = ?').get(jobId)?.charge;
  return typeof charge === 'string' ? heldChargeSchema.parse(JSON.parse(charge)) : undefined;
}

/** An unreadable ledger keeps the charge, so that the job can end. */
export function takeBack(database: Database, held: HeldCharge | undefined): void {
  if (!held) return;
  try {
    const { version, charges } = readLedger(database, held.ledger);
    addCharge(database, { ...held, version, charges: charges.filter(({ id }) => id !== held.id) });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}
