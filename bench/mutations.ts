/** Changed requests, records and objects: `MUTATIONS=10000 npm run bench -- mutations`, with another `SEED` for others. */
import { type MutationReport, mutateRequests, mutateStored } from '../test/support/mutations.ts';
import type { Bench } from './support/bench.ts';
import { numberFrom } from './support/numberFrom.ts';
import { printTable } from './support/printTable.ts';

const COUNT = 10_000;

export const bench: Bench = {
  title: 'MUTATIONS (10,000) changed requests, and as many changed records and objects: no 500, no foreign receipt',
  async run() {
    const [count, seed] = [numberFrom('MUTATIONS', COUNT), numberFrom('SEED', 1)];
    print('requests', await mutateRequests(count, seed));
    print('records and objects', await mutateStored(count, seed));
  },
};

function print(title: string, { statuses, faults }: MutationReport): void {
  printTable(
    [`${title}: status`, 'answers'],
    [...statuses].sort(([a], [b]) => a - b),
  );
  console.log(`faults: ${faults.length}`);
  for (const fault of faults.slice(0, 50)) console.log(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
