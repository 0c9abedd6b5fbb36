/**
 * Time and memory of all metrics, each table in a process of its own; and nearest rows against scikit-learn's brute force, in
 * the same city-block distance, and in the Euclidean one, whose brute force is a product of matrices.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createStream } from '../packages/numerics/random/createStream.ts';
import type { MeasuredColumns } from '../packages/synthesis/judge/columns.ts';
import { PointTree, placeRows } from '../packages/synthesis/judge/nearestNeighbours.ts';
import { sampleRows } from '../packages/synthesis/judge/parts.ts';
import type { ModelTable } from '../packages/synthesis/models/model.ts';
import { takeRows } from '../packages/synthesis/table/takeRows.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { latentTable } from './support/latentTable.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute, preparePython } from './support/python.ts';
import { readSharedTable, sharedData } from './support/sharedTables.ts';

/** Rows, numbers, categories. */
const SHAPES: readonly (readonly [number, number, number])[] = [
  [50_000, 9, 6],
  [5_000, 30, 30],
  [3_000, 1_500, 0],
];

const ASKED = 10_000;

const measuredSchema = z.object({
  seconds: z.number(),
  cpu: z.number(),
  megabytes: z.number(),
  recordKilobytes: z.number(),
});
const peerSchema = z.object({ manhattan: z.number(), euclidean: z.number(), sum: z.number() });

export const bench: Bench = {
  title:
    'All metrics for 50,000 × 15 in under 30 s and 1 GB; nearest rows at least as fast as scikit-learn by brute force',
  async run() {
    console.log(loadLine());
    const script = join(import.meta.dirname, 'support', 'measureInOneProcess.ts');
    const rows = SHAPES.map((shape): TableCell[] => {
      const found = measuredSchema.parse(JSON.parse(execute(process.execPath, [script, ...shape.map(String)])));
      const [n, numbers, categories] = shape;
      return [`${n} × ${numbers + categories}`, found.seconds, found.cpu, found.megabytes, found.recordKilobytes];
    });
    printTable(['table', 's', 's of the processor', 'MB', 'record, KB'], rows);
    console.log(`\nNearest of all real rows for ${ASKED} rows, numbers alone (scikit-learn has no mixed distance)\n`);
    const python = preparePython('sklearn', ['scikit-learn==1.9.1']);
    const header = [
      'table',
      'real rows',
      'columns',
      's ours',
      's sklearn, same distance',
      'ratio',
      's sklearn, Euclidean',
      'ratio',
      'gap',
    ];
    printTable(
      header,
      [...numberTables()].map(([name, table]) => compareNearest(python, name, table)),
    );
    console.log(loadLine());
  },
};

function* numberTables(): Generator<[string, ModelTable]> {
  yield ['made up', latentTable({ rows: 55_000, numbers: 15, categories: 0 }, createStream(1, 'bench/nearest'))];
  if (sharedData === undefined) return;
  for (const name of ['california_housing', 'diamonds']) yield [name, readSharedTable(sharedData, name).table];
}

function compareNearest(python: string, name: string, table: ModelTable): TableCell[] {
  const numeric = [...table.columns.values()].filter(({ kind }) => kind === 'numeric').map((column) => column.name);
  const columns: MeasuredColumns = { numeric, categorical: [], text: [] };
  const stream = createStream(1, `bench/nearest/${name}`);
  const isAsked = new Uint8Array(table.rows);
  for (const row of sampleRows(table.rows, Math.min(ASKED, table.rows >> 1), stream)) isAsked[row] = 1;
  const all = Int32Array.from({ length: table.rows }, (_, row) => row);
  const asked = takeRows(
    table,
    all.filter((row) => isAsked[row] === 1),
  );
  const real = takeRows(
    table,
    all.filter((row) => isAsked[row] === 0),
  );
  const placed = placeRows(asked, real, columns);
  const start = performance.now();
  const tree = new PointTree(placed.real, placed.width);
  let sum = 0;
  for (let row = 0; row < placed.queried.rows; row++) sum += tree.nearest(placed.queried, row);
  const seconds = (performance.now() - start) / 1000;
  const paths = [placed.queried, placed.real].map(({ cells }, at) => {
    const path = join(cacheFolder(), `nearest-${at}.f32`);
    writeFileSync(path, Buffer.from(cells.buffer));
    return path;
  });
  const script = join(import.meta.dirname, 'support', 'sklearnNearest.py');
  const peer = peerSchema.parse(JSON.parse(execute(python, [script, ...paths, String(placed.width)])));
  const beside = [peer.manhattan, peer.euclidean].flatMap((theirs) => [theirs, seconds / theirs]);
  const gap = Math.abs(sum - peer.sum) / peer.sum;
  return [name, real.rows, placed.width, seconds, ...beside, gap];
}
