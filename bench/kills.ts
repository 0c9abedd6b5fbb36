/** SIGKILL at many moments of a job: `KILLS=500 npm run bench -- kills`, with another `SEED` for other moments. */
import { runKillTrials } from '../test/support/killTrials.ts';
import type { Bench } from './support/bench.ts';
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

/** A whole number from the environment. Throws where it is none. */
function numberFrom(name: string, standard: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return standard;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number; found ${JSON.stringify(text)}`);
  return Number(text);
}
