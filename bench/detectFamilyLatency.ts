/** POST /detect_family over the longest and widest files there are: how long it takes and how much the server reads for it. */
import { join } from 'node:path';
import { createStream } from '../packages/numerics/random/createStream.ts';
import type { Bench } from './support/bench.ts';
import { keptFile, largeFiles } from './support/largeFile.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { median } from './support/quantile.ts';
import { type BenchServer, bytesRead, startServer, uploadFile } from './support/server.ts';
import { sharedData } from './support/sharedTables.ts';

const REPEATS = 10;

interface Measured {
  name: string;
  path: string;
  target: string;
}

/** Those with the most rows, columns, zeros and candidates. */
const SHARED: readonly (readonly [table: string, target: string])[] = [
  ['adult', 'hours_per_week'],
  ['adult', 'capital_gain'],
  ['diamonds', 'price'],
  ['k401k', 'prate'],
  ['nmes1988', 'visits'],
  ['nmes1988', 'emergency'],
  ['ohlsson_motorcycle', 'skadkost'],
  ['ohlsson_motorcycle', 'antskad'],
];

const WIDE_COLUMNS = 1000;
const WIDE_ROWS = 6000;

export const bench: Bench = {
  title: 'POST /detect_family: below 1 s for any file, without reading the file',
  async run() {
    const rows: TableCell[][] = [];
    const server = await startServer();
    try {
      for (const file of measuredFiles()) rows.push(await measureFile(server, file));
    } finally {
      await server.stop();
    }
    printTable(['table', 'target', 'family', 'first ms', 'median ms', 'largest ms', 'MB read a call'], rows);
  },
};

function measuredFiles(): Measured[] {
  const large = largeFiles().flatMap((file) => (file.target === null ? [] : [{ ...file, target: file.target }]));
  const shared = SHARED.flatMap(([name, target]) =>
    sharedData === undefined ? [] : [{ name, path: join(sharedData, `${name}.csv`), target }],
  );
  const name = `wide-${WIDE_COLUMNS}x${WIDE_ROWS}`;
  return [...shared, ...large, { name, path: keptFile(`${name}.csv`, wideTable), target: 'y' }];
}

/** Overdispersed counts with zeros of their own, which every family for counts is tried on, and a thousand columns that all tell of them. */
function wideTable(): string {
  const random = createStream(5, 'wide');
  const names = Array.from({ length: WIDE_COLUMNS - 1 }, (_, j) => `x${j}`);
  const lines = [`y,${names.join(',')}`];
  for (let i = 0; i < WIDE_ROWS; i++) {
    const common = random.normal();
    const y = random.uniform() < 0.2 ? 0 : Math.floor(random.gamma(1.5) * 4 * Math.exp(0.5 * common));
    lines.push(`${y},${names.map(() => (common + random.normal()).toFixed(4)).join(',')}`);
  }
  return `${lines.join('\n')}\n`;
}

async function measureFile(server: BenchServer, { name, path, target }: Measured): Promise<TableCell[]> {
  const { jobId } = await uploadFile(server, path);
  const before = bytesRead(server.pid);
  const times: number[] = [];
  let family = '';
  for (let i = 0; i < REPEATS; i++) {
    const start = performance.now();
    ({ family } = await server.client.detectFamily(jobId, target));
    times.push(performance.now() - start);
  }
  const after = bytesRead(server.pid);
  const read = before === undefined || after === undefined ? null : (after - before) / REPEATS / 2 ** 20;
  return [name, target, family, times[0], median(times), Math.max(...times), read];
}
