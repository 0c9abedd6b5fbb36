/** How often fresh real rows, given as the synthetic table, are called less than good: by area, with the figures at fault. */
import type { Grade } from '../packages/contract/grades.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { shuffledRows } from '../packages/numerics/random/draws.ts';
import { takeRows } from '../packages/synthesis/metrics/columns.ts';
import { measureAll } from '../packages/synthesis/metrics/measureAll.ts';
import { judge } from '../packages/synthesis/report/judge.ts';
import type { Bench } from './support/bench.ts';
import { printTable } from './support/printTable.ts';
import { readSharedTable, type SharedTable, sharedData } from './support/sharedTables.ts';

interface Trials {
  name: string;
  /** Training, held-out and fresh rows. */
  rows: readonly [number, number, number];
  trials: number;
}

const TRIALS: readonly Trials[] = [
  { name: 'penguins', rows: [120, 60, 120], trials: 60 },
  { name: 'titanic', rows: [300, 150, 300], trials: 30 },
  { name: 'adult', rows: [600, 200, 600], trials: 20 },
  { name: 'diamonds', rows: [600, 200, 600], trials: 20 },
];

async function gradesOf({ table, roles }: SharedTable, [train, held, fresh]: Trials['rows'], trial: number) {
  const random = createStream(trial, 'fresh rows');
  const order = shuffledRows(table.rows, random.child('order'));
  const part = (from: number, rows: number) => takeRows(table, order.slice(from, from + rows));
  const measures = await measureAll({
    ...{ train: part(0, train), holdout: part(train, held), synthetic: part(train + held, fresh), roles },
    ...{ family: null, crossFit: null, random: random.child('measure'), onProgress: async () => {} },
  });
  const rest = { regression: null, release: null, rows_generated: fresh, columns: [], seed: trial, version: '' };
  return judge({ ...measures, ...rest });
}

export const bench: Bench = {
  title: 'verdicts on fresh real rows in the place of synthetic ones',
  async run() {
    if (!sharedData) throw new Error('the shared tables are not here');
    const rows: string[][] = [];
    for (const { name, rows: sizes, trials } of TRIALS) {
      const shared = readSharedTable(sharedData, name);
      const counts = new Map<string, Map<Grade, number>>();
      for (let trial = 0; trial < trials; trial++) {
        for (const { area, grade } of await gradesOf(shared, sizes, trial)) {
          const own = counts.get(area) ?? new Map<Grade, number>();
          counts.set(area, own.set(grade, (own.get(grade) ?? 0) + 1));
        }
      }
      for (const [area, grades] of counts) {
        rows.push([name, sizes.join(' / '), area, [...grades].map(([grade, times]) => `${grade} ${times}`).join(', ')]);
      }
    }
    printTable(['table', 'training / held-out / fresh rows', 'area', 'grades'], rows);
  },
};
