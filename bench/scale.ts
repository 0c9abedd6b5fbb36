/** How the deployment on AWS scales with its limit of running jobs, by simulation: the figures of docs/scale.md. */
import { INPUTS, ON_SPOT, type ScaleInputs } from './scaling/inputs.ts';
import { quotas, refusalsBorne, SLOT_BYTES, slotWrite } from './scaling/quotas.ts';
import { capacityPerHour, type Outcome, simulate } from './scaling/simulate.ts';
import type { Bench } from './support/bench.ts';

const LIMITS = [3, 30, 300];
/** Loads as shares of what the limit can do at most. */
const LOADS = [0.2, 0.7, 0.95];
const SEED = 4;

const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
const header = (cells: string[]) => [row(cells), row(cells.map(() => '---'))].join('\n');
const minutes = (seconds: number) => (seconds / 60).toFixed(1);
const percent = (share: number) => `${Math.round(share * 100)} %`;

const COLUMNS = [
  'wait, median (min)',
  'wait, 95 % (min)',
  'of it for a slot (min)',
  '429 a second, at most',
  'GPUs at once',
  'GPU use',
  '$ a job',
];
const cellsOf = (outcome: Outcome) => [
  minutes(outcome.waitMedian),
  minutes(outcome.wait95),
  minutes(outcome.slotWait95),
  outcome.mostRefusals,
  outcome.gpusAtOnce,
  percent(outcome.gpuUse),
  outcome.dollarsPerJob.toFixed(3),
];

function printSteady(title: string, inputs: ScaleInputs): void {
  console.log(`${title}\n`);
  console.log(header(['limit', 'load', 'jobs an hour', ...COLUMNS]));
  for (const limit of LIMITS) {
    for (const share of LOADS) {
      const perHour = capacityPerHour(inputs, limit) * share;
      const jobs = Math.max(2000, limit * 40);
      console.log(
        row([
          limit,
          percent(share),
          perHour.toFixed(0),
          ...cellsOf(simulate(inputs, { limit, jobs, perHour, seed: SEED })),
        ]),
      );
    }
  }
  console.log();
}

function printBurst(): void {
  console.log('1,000 jobs at once\n');
  console.log(header(['limit', 'all done after (h)', 'jobs an hour', ...COLUMNS]));
  for (const limit of LIMITS) {
    const outcome = simulate(INPUTS, { limit, jobs: 1000, perHour: undefined, seed: SEED });
    console.log(row([limit, outcome.hours.toFixed(1), outcome.jobsPerHour.toFixed(0), ...cellsOf(outcome)]));
  }
  console.log();
}

function printQuotas(): void {
  console.log(`The slot item: ${SLOT_BYTES} bytes a slot\n`);
  console.log(header(['limit', 'item (KB)', 'write units of one write', 'refused requests a second that it bears']));
  for (const limit of LIMITS)
    console.log(
      row([
        limit,
        ((limit * SLOT_BYTES) / 1024).toFixed(1),
        slotWrite(limit),
        Math.floor(refusalsBorne(INPUTS, limit)),
      ]),
    );
  console.log(`\n${header(['quota', 'at first', 'reached at (running jobs)', 'what to do'])}`);
  for (const { name, standard, reachedAt, remedy } of quotas(INPUTS))
    console.log(row([name, standard, Number.isFinite(reachedAt) ? reachedAt : 'not by jobs', remedy]));
}

export const bench: Bench = {
  title:
    'throughput, waiting time and cost at 3, 30 and 300 jobs on AWS, and the quota that breaks first (a simulation)',
  run: async () => {
    printSteady('On demand', INPUTS);
    printSteady('Spot', ON_SPOT);
    printBurst();
    printQuotas();
  },
};
