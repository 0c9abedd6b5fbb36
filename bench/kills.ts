/** SIGKILL at many moments of a job: `KILLS=500 npm run bench -- kills`, with another `SEED` for other moments. */
import { runKillTrials } from '../test/support/killTrials.ts';
import type { Bench } from './support/bench.ts';
import { numberFrom } from './support/numberFrom.ts';
import { printTable } from './support/printTable.ts';

const COUNT = 100;

export const bench: Bench = {
  title: 'SIGKILL of the server at KILLS (100) moments of a job: what each record says afterwards; no fault',
  async run() {
    const { outcomes, faults } = await runKillTrials(numberFrom('KILLS', COUNT), numberFrom('SEED', 1), console.log);
    const rows = [...outcomes].sort().map(([outcome, count]) => [outcome, count]);
    printTable(['killed when: found as', 'times'], rows);
    console.log(`faults: ${faults.length}`);
    for (const fault of faults) console.log(`  ${fault}`);
  },
};
