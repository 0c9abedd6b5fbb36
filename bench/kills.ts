/** SIGKILL at random moments: `KILLS=1000 npm run bench -- kills`; `FIRST=417 KILLS=1 SEED=1` is one trial of them again. */
import { type Outcome, runKillTrials } from '../test/support/kills/killTrials.ts';
import type { Bench } from './support/bench.ts';
import { numberFrom } from './support/numberFrom.ts';
import { printTable } from './support/printTable.ts';

const COUNT = 100;

export const bench: Bench = {
  title:
    'SIGKILL at KILLS (100) random moments of all that changes a data folder: no fault; exit code 1 where one is found',
  async run() {
    const { outcomes, faults } = await runKillTrials({
      count: numberFrom('KILLS', COUNT),
      seed: numberFrom('SEED', 1),
      first: numberFrom('FIRST', 1),
      lanes: numberFrom('LANES', 2),
      say: console.log,
    });
    printTable(['moment', 'killed', 'answered', 'found', 'times'], counted(outcomes));
    console.log(`kills: ${outcomes.length}; faults: ${faults.length}`);
    for (const fault of faults) console.log(`  ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  },
};

/** Equal outcomes, with how many there are. */
function counted(outcomes: readonly Outcome[]): (string | number)[][] {
  const rows = new Map<string, [row: string[], times: number]>();
  for (const { moment, killed, isAnswered, found } of outcomes) {
    const row = [moment, killed, isAnswered ? 'yes' : 'no', found];
    rows.set(row.join(), [row, (rows.get(row.join())?.[1] ?? 0) + 1]);
  }
  return [...rows].sort().map(([, [row, times]]) => [...row, times]);
}
