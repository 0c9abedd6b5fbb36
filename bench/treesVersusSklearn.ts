/** Our boosted trees against scikit-learn's HistGradientBoostingRegressor: the same rows, the same defaults, one run. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { measuredColumns } from '../packages/synthesis/judge/columns.ts';
import { dealFolds } from '../packages/synthesis/judge/parts.ts';
import { scorePredictions, trainAndTest } from '../packages/synthesis/judge/trainSyntheticTestReal.ts';
import type { ModelTable } from '../packages/synthesis/models/model.ts';
import { takeRows } from '../packages/synthesis/table/takeRows.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { readSharedTable, sharedData } from './support/sharedTables.ts';

const TABLES = ['penguins', 'california_housing', 'diamonds', 'adult'];
const REPEATS = 3;

const peerSchema = z.object({ r2: z.number(), seconds: z.number(), version: z.string() });

export const bench: Bench = {
  title: 'Boosted trees against scikit-learn: R² on held-out rows within 0.02, and the time of both',
  async run() {
    if (sharedData === undefined)
      throw new Error('it needs the shared tables, and there is no ../shared beside this checkout.');
    const python = preparePython();
    const rows = TABLES.map((name) => compare(python, sharedData!, name));
    printTable(
      ['table', 'rows trained on', 'R² ours', 'R² sklearn', 'difference', 's ours', 's sklearn', 'ratio'],
      rows,
    );
  },
};

/** Fits and predicts a fifth of the rows; the best time of a few, since the first one compiles. */
function compare(python: string, folder: string, name: string): TableCell[] {
  const { table, roles } = readSharedTable(folder, name);
  const { target } = roles;
  if (target === null) throw new Error(`${name} has no target`);
  const columns = measuredColumns(roles, table);
  const known = takeRows(table, rowsWithTarget(table, target));
  const [held, ...rest] = dealFolds(known.rows, 5, createStream(1, 'bench/treesVersusSklearn'));
  const train = takeRows(known, Int32Array.from(rest.flatMap((fold) => [...fold])));
  const test = takeRows(known, held!);
  let seconds = Number.POSITIVE_INFINITY;
  let r2 = Number.NaN;
  for (let i = 0; i < REPEATS; i++) {
    const start = performance.now();
    r2 = scorePredictions(trainAndTest(train, test, target, columns)).r2 ?? Number.NaN;
    seconds = Math.min(seconds, (performance.now() - start) / 1000);
  }
  const peer = askPeer(python, name, target, { train, test });
  return [name, train.rows, r2, peer.r2, r2 - peer.r2, seconds, peer.seconds, seconds / peer.seconds];
}

function rowsWithTarget(table: ModelTable, target: string): Int32Array {
  const column = table.columns.get(target);
  const rows = Array.from({ length: table.rows }, (_, row) => row);
  return Int32Array.from(rows.filter((row) => column?.kind === 'numeric' && Number.isFinite(column.values[row])));
}

function askPeer(python: string, name: string, target: string, tables: Record<'train' | 'test', ModelTable>) {
  const path = join(cacheFolder(), `trees-${name}.json`);
  writeFileSync(
    path,
    JSON.stringify({ target, train: plain(tables.train), test: plain(tables.test), repeats: REPEATS }),
  );
  const script = join(import.meta.dirname, 'support', 'sklearnTrees.py');
  return peerSchema.parse(JSON.parse(execute(python, [script, path])));
}

/** Columns as JSON: numbers and level codes, null where missing. */
function plain(table: ModelTable) {
  return [...table.columns.values()].flatMap((column) => {
    if (column.kind === 'numeric') return [{ name: column.name, category: false, cells: [...column.values] }];
    if (column.kind === 'category') {
      return [
        { name: column.name, category: true, cells: Array.from(column.codes, (code) => (code < 0 ? null : code)) },
      ];
    }
    return [];
  });
}

/** A Python of the bench's own with scikit-learn, made once. */
function preparePython(): string {
  const folder = join(cacheFolder(), 'sklearn');
  const python = join(folder, 'bin', 'python');
  if (!existsSync(join(folder, 'ready'))) {
    execute('python3', ['-m', 'venv', folder]);
    execute(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'scikit-learn==1.9.1']);
    writeFileSync(join(folder, 'ready'), '');
  }
  return python;
}

function execute(command: string, args: string[]): string {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (result.status === 0) return result.stdout;
  const complaint = result.error?.message ?? result.stderr.trim().split('\n').at(-1);
  throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed: ${complaint}`);
}
