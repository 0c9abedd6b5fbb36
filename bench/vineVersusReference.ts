/** Our vines against pyvinecopulib's of TLL pairs: time of one thread, log-likelihood and simulation, side by side on two shared tables. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { loadLine } from './support/load.ts';
import { printTable } from './support/printTable.ts';
import { execute, preparePython } from './support/python.ts';
import { rankColumns } from './support/rankColumns.ts';
import { sharedData } from './support/sharedTables.ts';

const CASES: [table: string, rows: number][] = [
  ['california_housing', 1_000],
  ['california_housing', 10_000],
  ['california_housing', 20_433],
  ['diamonds', 53_940],
];
const DRAWN = 10_000;

const figuresSchema = z.object({
  seconds: z.number(),
  cpu: z.number(),
  logLikelihood: z.number(),
  drawSeconds: z.number(),
  drawCpu: z.number(),
});

export const bench: Bench = {
  title:
    'Vines against pyvinecopulib: fit at most 1.5× its time (1.0× from 10,000 rows), log-likelihood 99.5 % of its, draws at least as fast',
  async run() {
    if (sharedData === undefined) {
      throw new Error('it needs the shared tables, and there is no ../shared beside this checkout.');
    }
    console.log(loadLine());
    const python = preparePython('vinecopulib', ['pyvinecopulib==1.0.1']);
    const rows = [];
    for (const [table, count] of CASES) {
      const path = writeRanks(rankColumns(sharedData, table, count), `${table}-${count}`);
      rows.push(compare(python, path, `${table}, ${count}`));
    }
    printTable(
      [
        'data',
        's',
        's peer',
        'CPU s',
        'CPU s peer',
        'CPU ratio',
        'draws s',
        'draws s peer',
        'draws CPU s',
        'draws CPU s peer',
        'draws CPU ratio',
        'log-l.',
        'peer',
        '%',
      ],
      rows,
    );
    console.log(loadLine());
  },
};

function writeRanks(u: readonly Float64Array[], name: string): string {
  const path = join(cacheFolder(), `ranks-${name}.csv`);
  writeFileSync(path, Array.from(u[0]!, (_, i) => u.map((column) => column[i]).join(',')).join('\n'));
  return path;
}

function compare(python: string, path: string, data: string) {
  const support = join(import.meta.dirname, 'support');
  const parse = (output: string) => figuresSchema.parse(JSON.parse(output));
  const own = parse(execute(process.execPath, [join(support, 'fitVineOnce.ts'), path, `${DRAWN}`]));
  const peer = parse(
    execute(python, ['-W', 'ignore', join(support, 'vinecopulibVine.py'), path, 'constant', `${DRAWN}`]),
  );
  return [
    data,
    own.seconds,
    peer.seconds,
    own.cpu,
    peer.cpu,
    own.cpu / peer.cpu,
    own.drawSeconds,
    peer.drawSeconds,
    own.drawCpu,
    peer.drawCpu,
    own.drawCpu / peer.drawCpu,
    own.logLikelihood,
    peer.logLikelihood,
    (100 * own.logLikelihood) / peer.logLikelihood,
  ];
}
