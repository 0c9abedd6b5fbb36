/** Rows that belong together: what holds in a ledger of 50 rows an account, and what 100,000 entities of 10 rows and 12 columns take. */
import { createStream } from '../packages/numerics/random/createStream.ts';
import { synthesize } from '../packages/synthesis/index.ts';
import { byAccount, faultsOf, LEDGER_ROLES, ledger } from '../test/synthesis/methods/entities/ledger.ts';
import type { Bench } from './support/bench.ts';

async function keepsRelations(): Promise<void> {
  const accounts = 400;
  const rows = ledger(accounts, 50).map((row) => ({ ...row }));
  const made = await synthesize(rows, { ...LEDGER_ROLES, n_entities: accounts }, { seed: 1 });
  const faults = byAccount(made.rows.all()).map((rows) => faultsOf(rows));
  const broken = faults.filter((own) => own.length > 0).length;
  console.log(`A ledger of ${accounts} accounts of 50 rows: ${broken} synthetic accounts break a relation.`);
  for (const fault of faults.flat().slice(0, 5)) console.log(`  ${fault}`);
}

/** Ten numbers that drift, a state and a place. */
function panel(entities: number, rows: number) {
  const random = createStream(2, 'panel');
  const columns: Record<string, (string | number)[]> = { id: [], state: [], place: [] };
  const names = Array.from({ length: 9 }, (_, at) => `x${at}`);
  for (const name of names) columns[name] = [];
  for (let entity = 0; entity < entities; entity++) {
    const own = names.map(() => random.normal());
    const place = random.integer(20);
    let state = random.integer(4);
    for (let row = 0; row < rows; row++) {
      if (random.uniform() < 0.2) state = random.integer(4);
      columns.id!.push(`E${entity}`);
      columns.state!.push(`s${state}`);
      columns.place!.push(`p${place}`);
      names.forEach((name, at) => {
        own[at] = 0.8 * own[at]! + 0.3 * state * (at % 2) + 0.6 * random.normal();
        columns[name]!.push(Math.round(100 * own[at]!) / 100);
      });
    }
  }
  return { columns, names };
}

async function scales(): Promise<void> {
  const { columns, names } = panel(100_000, 10);
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const request = { entity_col: 'id', target: 'none' as const, n_entities: 100_000 };
  const roles = { continuous_cols: names, categorical_cols: ['state', 'place'] };
  const made = await synthesize(columns, { ...request, ...roles }, { seed: 1 });
  const { user, system } = process.cpuUsage(cpu);
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1000);
  console.log(
    `${made.metrics.rows_generated} rows of 100,000 entities: ${Math.round((performance.now() - start) / 1000)} s, ${Math.round((user + system) / 1e6)} CPU s, ${megabytes} MB at most.`,
  );
  const { fidelity } = made.metrics;
  console.log(JSON.stringify({ coherence: fidelity?.coherence, lengths: fidelity?.sequence_lengths }));
}

export const bench: Bench = {
  title: 'sequences: relations held over 50 rows, and a million rows of 100,000 entities',
  async run() {
    await keepsRelations();
    await scales();
  },
};
