/** The privacy ledger under starts that meet: `TRIALS=500 SEED=2 STORE=SQLite npm run bench -- ledger`. */
import { interleave } from '../test/support/interleave.ts';
import {
  LedgerBench,
  randomTrial,
  STORES,
  type StoreName,
  trialStream,
  turnsOf,
} from '../test/support/ledgerTrials.ts';
import type { Bench } from './support/bench.ts';
import { numberFrom } from './support/numberFrom.ts';
import { printTable } from './support/printTable.ts';

const TRIALS = 10_000;
const PROGRESS = 1000;
const END = Number.POSITIVE_INFINITY;

export const bench: Bench = {
  title:
    'TRIALS (10,000) random interleavings of private starts, cancels, failures and crashes on each store: charges equal what ran; exit code 1 where they do not',
  async run() {
    const rows: (string | number)[][] = [];
    const faults: string[] = [];
    const { STORE } = process.env;
    for (const name of STORES.filter((store) => !STORE || store === STORE)) {
      const storage = await LedgerBench.open(name);
      rows.push(await everyPair(storage, name, faults), await atRandom(storage, name, faults));
      storage.close();
    }
    printTable(['store', 'interleavings', 'trials', 'ran', 'charged', 'returned', 'refused or failed', 'died'], rows);
    console.log(`faults: ${faults.length}`);
    for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  },
};

/** Two starts of one job: the first stops before each of its calls, and the second goes as far as each of its own. */
async function everyPair(storage: LedgerBench, name: StoreName, faults: string[]): Promise<(string | number)[]> {
  const tally = new Tally();
  let calls = 1;
  for (let i = 0; i < calls; i++) {
    for (let j = 1; j <= calls; j++) {
      const trial = await storage.trial();
      const found: string[] = [];
      const endings = await interleave(trial.service, [trial.start(), trial.start()], {
        choose: turnsOf([
          { actor: 0, until: i },
          { actor: 1, until: j },
          { actor: 0, until: END },
        ]),
        fault: ({ actor, at }) => {
          if (actor === 0) calls = Math.max(calls, at + 1);
          return undefined;
        },
        check: trial.noting(found),
      });
      await trial.settle(() => true);
      found.push(...(await trial.faults()), ...(await trial.unequal()));
      faults.push(...found.map((fault) => `${name}, calls ${i} and ${j}: ${fault}`));
      tally.add({ endings, ran: trial.ran, charged: (await trial.charged()).length });
    }
  }
  return [name, 'every pair of calls', ...tally.figures()];
}

async function atRandom(storage: LedgerBench, name: StoreName, faults: string[]): Promise<(string | number)[]> {
  const [trials, seed] = [numberFrom('TRIALS', TRIALS), numberFrom('SEED', 1)];
  const tally = new Tally();
  for (let number = 1; number <= trials; number++) {
    const { faults: found, ...outcome } = await randomTrial(storage, trialStream(seed, name, number));
    faults.push(...found.map((fault) => `${name}, trial ${number}, seed ${seed}: ${fault}`));
    tally.add(outcome);
    if (number % PROGRESS === 0) console.log(`${name}: ${number} trials, ${faults.length} faults`);
  }
  return [name, 'at random', ...tally.figures()];
}

class Tally {
  #trials = 0;
  #ran = 0;
  #charged = 0;
  readonly #ended = { returned: 0, threw: 0, died: 0 };

  add({ endings, ran, charged }: Omit<Awaited<ReturnType<typeof randomTrial>>, 'faults'>): void {
    this.#trials += 1;
    this.#ran += ran;
    this.#charged += charged;
    for (const { kind } of endings) this.#ended[kind] += 1;
  }

  figures(): number[] {
    const { returned, threw, died } = this.#ended;
    return [this.#trials, this.#ran, this.#charged, returned, threw, died];
  }
}
