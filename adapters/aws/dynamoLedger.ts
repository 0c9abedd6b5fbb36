import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import {
  EMPTY_LEDGER,
  type HeldCharge,
  heldChargeSchema,
  type Ledger,
  type NewCharge,
  parseCharges,
} from '../../service/privacy/charges.ts';
import { ITEMS } from './names.ts';
import { type Item, number, packJson, type RecordTable, text, unpackJson } from './recordTable.ts';

const ledgerItemKey = (ledger: string): string => `${ITEMS.ledgerPrefix}${ledger}`;

export async function readLedger(table: RecordTable, ledger: string): Promise<Ledger> {
  const item = await table.get(ledgerItemKey(ledger));
  if (!item) return EMPTY_LEDGER;
  return { version: Number(item.version?.N), charges: parseCharges(ledger, () => unpackJson(item.charges)) };
}

/** Condition: the ledger still has the version. */
export const chargeIn = (table: RecordTable, charge: Omit<NewCharge, 'id'> | undefined): TransactWriteItem[] =>
  charge ? [table.updateOf(ledgerItemKey(charge.ledger), writing(charge))] : [];

const writing = ({ version, charges }: Omit<NewCharge, 'id'>) => ({
  update: 'SET #version = :next, #charges = :charges',
  condition: version === 0 ? 'attribute_not_exists(#version)' : '#version = :version',
  values: {
    ':next': number(version + 1),
    ':charges': packJson(charges),
    ...(version > 0 && { ':version': number(version) }),
  },
});

export const heldValue = ({ ledger, id }: HeldCharge) => ({ M: { ledger: text(ledger), id: text(id) } });

const NO_CHARGE = 'attribute_not_exists(#charge)';
const SAME_CHARGE = '#charge.#id = :charge';

export function heldCharge(item: Item | undefined): HeldCharge | undefined {
  const held = item?.charge?.M;
  return held && heldChargeSchema.parse({ ledger: held.ledger?.S, id: held.id?.S });
}

export interface Refund {
  /** Condition on the job's item. */
  condition: string;
  values: Item;
  parts: TransactWriteItem[];
}

export const NO_REFUND: Refund = { condition: NO_CHARGE, values: {}, parts: [] };

/** An unreadable ledger keeps the charge, so that the job can end. */
export function refundOf(table: RecordTable, held: HeldCharge, ledger: Ledger | undefined): Refund {
  const charges = ledger?.charges.filter(({ id }) => id !== held.id);
  return {
    condition: SAME_CHARGE,
    values: { ':charge': text(held.id) },
    parts: ledger && charges ? chargeIn(table, { ledger: held.ledger, version: ledger.version, charges }) : [],
  };
}
