/** How often fresh real rows, given as the synthetic table, are called less than good: by area, with the figures at fault. */
import type { Grade } from '../packages/contract/grades.ts';
import { measureAll } from '../packages/synthesis/judge/measureAll.ts';
import { judge } from '../packages/synthesis/judge/verdicts/judge.ts';
import type { Bench } from './support/bench.ts';
import { freshParts, type Sizes, TRIALS } from './support/freshParts.ts';
import { printTable } from './support/printTable.ts';
import { readSharedTable, type SharedTable, sharedData } from './support/sharedTables.ts';

async function gradesOf(shared: SharedTable, sizes: Sizes, trial: number) {
  const { random, train, holdout, fresh } = freshParts(shared, sizes, trial);
  const measures = await measureAll({
    train,
    holdout,
    synthetic: fresh,
    roles: shared.roles,
    family: null,
    crossFit: null,
    random: random.child('measure'),
    onProgress: async () => {},
  });
  const rest = { regression: null, release: null, rows_generated: fresh.rows, columns: [], seed: trial, version: '' };
  return judge({ ...measures, ...rest });
}

export const bench: Bench = {
  title: 'verdicts on fresh real rows in the place of synthetic ones',
  async run() {
    if (!sharedData) throw new Error('the shared tables are not here');
    const rows: string[][] = [];
    for (const { name, sizes, trials } of TRIALS) {
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
