/** A made-up ledger: what holds from row to row of an account, in all of them. */
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { shuffle } from '../../../../packages/numerics/random/draws.ts';

const STATUSES: readonly string[] = ['draft', 'sent', 'reminded', 'paid', 'closed'];
const CITIES = ['Oslo', 'Bergen', 'Bodø'] as const;
const DAY_MS = 86_400_000;

export interface LedgerRow {
  account: string;
  city: string;
  date: string;
  invoice: number;
  status: string;
  credit: string;
  debit: string;
  balance: string;
}

const isWeekend = (day: number): boolean => [0, 6].includes(new Date(day * DAY_MS).getUTCDay());

/** Rows of the accounts, mixed. */
export function ledger(accounts: number, rows: number, seed = 1): LedgerRow[] {
  const random = createStream(seed, 'ledger');
  const out: LedgerRow[] = [];
  for (let account = 0; account < accounts; account++) {
    const city = CITIES[random.integer(3)]!;
    const key = `AC-${String(100_000 + account * 17 + random.integer(17))}`;
    let [day, status, invoice, cents] = [
      18_000 + random.integer(300),
      0,
      1 + random.integer(400),
      random.integer(2) * 10_000,
    ];
    while (isWeekend(day)) day++;
    for (let row = 0; row < rows; row++) {
      const isCredit = random.uniform() < 0.5;
      const amount = 100 + Math.round(2000 * random.gamma(2));
      cents += isCredit ? amount : -amount;
      if (random.uniform() < 0.15 && status < 4) status++;
      out.push({
        account: key,
        city,
        invoice,
        status: STATUSES[status]!,
        date: new Date(day * DAY_MS).toISOString().slice(0, 10),
        credit: (isCredit ? amount / 100 : 0).toFixed(2),
        debit: (isCredit ? 0 : amount / 100).toFixed(2),
        balance: (cents / 100).toFixed(2),
      });
      invoice += 1 + random.integer(2);
      let next = day + 1 + random.integer(30);
      while (isWeekend(next)) next = day + 1 + random.integer(30);
      day = next;
    }
  }
  shuffle(out, random);
  return out;
}

export const LEDGER_ROLES = {
  entity_col: 'account',
  order_col: 'date',
  target: 'none' as const,
  continuous_cols: ['invoice', 'credit', 'debit', 'balance'],
  categorical_cols: ['city', 'status'],
};

interface Written {
  account?: unknown;
  [column: string]: unknown;
}

/** Rows by account, in the order in which they stand. */
export function byAccount(rows: readonly Written[]): Written[][] {
  const groups = new Map<unknown, Written[]>();
  for (const row of rows) groups.set(row.account, [...(groups.get(row.account) ?? []), row]);
  return [...groups.values()];
}

/** What an account of a synthetic ledger breaks. */
export function faultsOf(rows: readonly Written[]): string[] {
  const faults: string[] = [];
  const days = rows.map(({ date }) => Date.parse(String(date)) / DAY_MS);
  rows.forEach((row, i) => {
    if (isWeekend(days[i]!)) faults.push(`${row.date} is no weekday`);
    if (row.city !== rows[0]!.city) faults.push(`city changes to ${row.city}`);
    if (i === 0) return;
    const before = rows[i - 1]!;
    const gap = days[i]! - days[i - 1]!;
    if (!(gap >= 1 && gap <= 30)) faults.push(`a gap of ${gap} days`);
    const cents = (column: string, of: Written): number => Math.round(Number(of[column]) * 100);
    if (cents('balance', row) !== cents('balance', before) + cents('credit', row) - cents('debit', row)) {
      faults.push(`the balance ${row.balance} after ${before.balance}`);
    }
    const at = (of: Written): number => STATUSES.indexOf(String(of.status));
    if (at(row) < at(before)) faults.push(`${row.status} after ${before.status}`);
    if (!(Number(row.invoice) > Number(before.invoice))) faults.push(`invoice ${row.invoice} after ${before.invoice}`);
  });
  return faults;
}
