/** How far the design matrix of the target's regression reaches: held-out R² and intervals on real tables. */

import type { Predictor } from '../packages/numerics/regression/design/design.ts';
import type { ModelTable } from '../packages/synthesis/models/model.ts';
import { tryHeldOut } from '../test/numerics/regression/design/heldOut.ts';
import type { Bench } from './support/bench.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { readSharedTable, sharedData } from './support/sharedTables.ts';

type Scale = 'identity' | 'log';
const TRIALS: [name: string, scale: Scale, halfStep: number, aim: number][] = [
  ['penguins', 'identity', 12.5, 0.8],
  ['california_housing', 'identity', 50, 0.78],
  ['diamonds', 'identity', 0.5, 0.975],
  ['diamonds', 'log', 0.5, 0.975],
  ['adult', 'identity', 0.5, 0.28],
];
const SEEDS = [1, 2];

export const bench: Bench = {
  title: 'The design matrix: R² on held-out rows as in the aim, 90 % intervals that cover 0.88 to 0.92 of them',
  async run() {
    if (sharedData === undefined) throw new Error('it needs the shared tables, and there is no ../shared beside it.');
    const rows: TableCell[][] = [];
    for (const [name, scale, halfStep, aim] of TRIALS) {
      const { table, roles } = readSharedTable(sharedData, name);
      const target = roles.target === null ? undefined : table.columns.get(roles.target);
      if (target?.kind !== 'numeric') throw new Error(`${name} has no numeric target`);
      const predictors = predictorsOf(table, [...roles.continuous, ...roles.categorical]);
      for (const seed of SEEDS) {
        const start = performance.now();
        const trial = tryHeldOut({ predictors, response: target.values, scale, halfStep, seed, iterations: 8 });
        const { trainRows, columns, entriesPerRow, r2, coverage, groups, determined } = trial;
        const seconds = (performance.now() - start) / 1000;
        rows.push([
          name,
          scale,
          seed,
          trainRows,
          columns,
          entriesPerRow,
          determined,
          groups,
          aim,
          r2,
          coverage,
          seconds,
        ]);
      }
    }
    const counts = ['rows', 'columns', 'entries a row', 'determined', 'scale groups'];
    printTable(['table', 'scale', 'split', ...counts, 'aim', 'R²', 'cover', 's'], rows);
  },
};

function predictorsOf(table: ModelTable, names: readonly string[]): Predictor[] {
  return names.flatMap((name): Predictor[] => {
    const column = table.columns.get(name);
    return column && column.kind !== 'text' ? [column] : [];
  });
}
