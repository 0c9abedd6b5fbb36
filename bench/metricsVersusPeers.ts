/** Our figures beside those of scipy, scikit-learn and sdmetrics, on the same rows in one run. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { measuredColumns, present } from '../packages/synthesis/judge/columns.ts';
import { pearson, scaledDeviation } from '../packages/synthesis/judge/distances.ts';
import { correlationRatio, cramersV, spearmanOf } from '../packages/synthesis/judge/fidelity/associations.ts';
import { type EncodedColumn, encodeTables } from '../packages/synthesis/judge/fidelity/encodeTables.ts';
import { columnDistances } from '../packages/synthesis/judge/fidelity/summarise.ts';
import { dealFolds, swappedTenth } from '../packages/synthesis/judge/parts.ts';
import { scorePredictions, trainAndTest } from '../packages/synthesis/judge/trainSyntheticTestReal.ts';
import type { ModelTable } from '../packages/synthesis/models/model.ts';
import { takeRows } from '../packages/synthesis/table/takeRows.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute, preparePython } from './support/python.ts';
import { readSharedTable, sharedData } from './support/sharedTables.ts';

const TABLES = ['penguins', 'california_housing', 'diamonds', 'adult'];
const PACKAGES = ['scikit-learn==1.9.1', 'scipy==1.17.1', 'sdmetrics==0.32.0'];

/** Figures by name: 'ks price', 'pearson price width', … */
const peerSchema = z.object({ figures: z.record(z.string(), z.number()), r2: z.number() });

export const bench: Bench = {
  title:
    'KS, Wasserstein, total variation and associations as scipy and sdmetrics have them (1e-9); TSTR R² within 0.02',
  async run() {
    if (sharedData === undefined)
      throw new Error('it needs the shared tables, and there is no ../shared beside this checkout.');
    const python = preparePython('metricsPeers', PACKAGES);
    const rows = TABLES.flatMap((name) => compare(python, sharedData!, name));
    printTable(['table', 'figure', 'how many', 'largest difference'], rows);
  },
};

/** The real table is two thirds of the rows; the other is real rows of the last third, a tenth of their cells swapped. */
function compare(python: string, folder: string, name: string): TableCell[][] {
  const { table, roles } = readSharedTable(folder, name);
  const { target } = roles;
  if (target === null) throw new Error(`${name} has no target`);
  const random = createStream(1, `bench/metricsVersusPeers/${name}`);
  const [train, held, third] = dealFolds(table.rows, 3, random).map((rows) => takeRows(table, rows));
  const other = swappedTenth(third!, third!.rows, random.child('swapped'));
  const columns = measuredColumns(roles, table);
  const own = figuresOf(train!, other, columns);
  const r2 = scorePredictions(trainAndTest(other, held!, target, columns)).r2 ?? Number.NaN;
  const path = join(cacheFolder(), `metrics-${name}.json`);
  writeFileSync(path, JSON.stringify({ target, real: plain(train!), other: plain(other), test: plain(held!) }));
  const script = join(import.meta.dirname, 'support', 'metricsPeers.py');
  const peer = peerSchema.parse(JSON.parse(execute(python, [script, path])));
  const kindOf = (key: string): string => key.split(' ', 1)[0]!;
  const lines = [...new Set([...own.keys()].map(kindOf))].map((kind): TableCell[] => {
    const keys = [...own.keys()].filter((key) => kindOf(key) === kind);
    const gaps = keys.map((key) => Math.abs(own.get(key)! - (peer.figures[key] ?? Number.NaN)));
    return [name, kind, keys.length, Math.max(...gaps).toExponential(1)];
  });
  return [...lines, [name, 'TSTR R²', 1, `${r2.toFixed(4)} − ${peer.r2.toFixed(4)} = ${(r2 - peer.r2).toFixed(4)}`]];
}

type Columns = ReturnType<typeof measuredColumns>;

/** The Wasserstein distance is scaled by the real column's standard deviation, so the peer's is as well. */
function figuresOf(real: ModelTable, other: ModelTable, columns: Columns): Map<string, number> {
  const out = new Map<string, number>();
  const put = (name: string, value: number | undefined): void => void (value !== undefined && out.set(name, value));
  const [a, b] = encodeTables([real, other], columns);
  for (const [at, column] of a!.columns.entries()) {
    const found = columnDistances(column, b!.columns[at]!);
    put(`ks ${at}`, found.ks);
    if (column.kind === 'numeric' && scaledDeviation(present(column.values), 1) > 0) put(`wd ${at}`, found.wasserstein);
    if (column.kind === 'category') put(`tv ${at}`, found.totalVariation);
  }
  for (let j = 0; j < a!.columns.length; j++) {
    for (let i = 0; i < j; i++)
      for (const [kind, value] of association(a!.columns[i]!, a!.columns[j]!)) put(`${kind} ${i} ${j}`, value);
  }
  return out;
}

function association(a: EncodedColumn, b: EncodedColumn): [string, number | undefined][] {
  if (a.kind === 'numeric' && b.kind === 'numeric') {
    return [
      ['pearson', pearson(a.values, b.values)],
      ['spearman', spearmanOf([a.values, b.values])(0, 1)],
    ];
  }
  if (a.kind === 'numeric' && b.kind === 'category') return [['eta', correlationRatio(a.values, b.codes, b.levels)]];
  // Columns of more than 51 levels are cut by ours, and are no comparison.
  if (a.kind !== 'category' || b.kind !== 'category' || Math.max(a.levels, b.levels) > 51) return [];
  return [['cramer', cramersV(a, b)]];
}

/** Columns in the order of the figures, numbers first, as JSON: numbers and level codes of one dictionary, null where missing. */
function plain(table: ModelTable) {
  const columns = [...table.columns.values()].filter(({ kind }) => kind !== 'text');
  columns.sort((a, b) => Number(a.kind === 'category') - Number(b.kind === 'category'));
  return columns.flatMap((column) => {
    if (column.kind === 'text') return [];
    const cells =
      column.kind === 'numeric' ? [...column.values] : Array.from(column.codes, (code) => (code < 0 ? null : code));
    return [{ name: column.name, category: column.kind === 'category', cells }];
  });
}
