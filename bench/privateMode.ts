/** Private tables of adult: how near they are to the rows that they were made from, and what can be learned from them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { z } from 'zod';
import { rhoOf } from '../packages/numerics/privacy/accounting.ts';
import { createCurator } from '../packages/numerics/privacy/curator.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { shuffledRows } from '../packages/numerics/random/draws.ts';
import type { RandomStream } from '../packages/numerics/random/stream.ts';
import { type CodedColumn, codeColumn, decodeColumn } from '../packages/synthesis/methods/private/codes.ts';
import { drawPrivately, fitPrivately } from '../packages/synthesis/methods/private/privateModel.ts';
import { ADULT_DOMAIN, ADULT_TARGET } from './support/adultDomain.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { loadLine } from './support/load.ts';
import { numberFrom } from './support/numberFrom.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute, preparePython } from './support/python.ts';
import { sharedData } from './support/sharedTables.ts';

const AIM = ['dpmm==0.1.9'];
const PACKAGES = ['sdmetrics==0.24.0', 'xgboost==3.0.5', 'scikit-learn==1.7.2', 'pandas==2.3.3'];
const ROWS = 10_000;
const DELTA = 1e-6;
/** To reach, by ε. */
const AIMS: Readonly<Record<string, readonly [ratio: number, pairs: number, trend: number]>> = {
  1: [0.983, 0.049, 0.946],
  10: [0.99, 0.02, 0.972],
};
const HEADER = [
  'maker',
  'ε',
  'sample',
  'TSTR ÷ TRTR',
  'TV of pairs',
  'Trend',
  'TV of columns',
  'pairs measured',
  'CPU s',
  's',
];

const scoresSchema = z.object({
  columns: z.number(),
  pairs: z.number(),
  trtr: z.number(),
  tstr: z.number(),
  trend: z.number(),
  worst: z.array(z.string()),
});

/** Lists of numbers, parted by commas. */
const listFrom = (name: string, standard: string): number[] => (process.env[name] || standard).split(',').map(Number);

export const bench: Bench = {
  title: `private tables of adult: five disjoint samples of ${ROWS} rows (PRIVATE_SAMPLES=1,2 PRIVATE_EPSILON=1,10), beside AIM on some (PRIVATE_AIM=1, AIM_SECONDS=7200 each)`,
  async run() {
    if (sharedData === undefined) throw new Error('it needs the shared tables, and there is no ../shared beside it.');
    console.log(loadLine());
    const python = preparePython('private-mode', PACKAGES);
    const { header, rows } = readAdult(join(sharedData, 'adult.csv'));
    const lines: TableCell[][] = [];
    for (const epsilon of listFrom('PRIVATE_EPSILON', '1,10')) {
      for (const sample of listFrom('PRIVATE_SAMPLES', '1,2,3,4,5')) {
        const task = { python, header, parts: partsOf(rows, sample), epsilon, sample };
        lines.push(await measure(task));
        printTable(HEADER, lines.slice(-1));
        if (!listFrom('PRIVATE_AIM', '1').includes(sample)) continue;
        lines.push(measureAim(task));
        printTable(HEADER, lines.slice(-1));
      }
      lines.push(['to reach', epsilon, null, ...(AIMS[epsilon] ?? [])]);
    }
    printTable(HEADER, lines);
  },
};

/** In an order that is shuffled once. */
function readAdult(path: string): { header: string[]; rows: string[][] } {
  const [header = [], ...rows] = Papa.parse<string[]>(readFileSync(path, 'utf8'), { skipEmptyLines: true }).data;
  const order = shuffledRows(rows.length, createStream(1, 'bench/privateMode'));
  return { header, rows: Array.from(order, (row) => rows[row]!) };
}

/** The rows suffice for four samples and a rest, on which these are tested; the fifth is this rest, tested on the first. */
function partsOf(rows: readonly string[][], sample: number): Record<'train' | 'test', string[][]> {
  const part = (at: number): string[][] => rows.slice((at - 1) * ROWS, at * ROWS);
  return { train: part(sample), test: part(sample === 5 ? 1 : 5) };
}

interface Trial {
  python: string;
  header: string[];
  parts: Record<'train' | 'test', string[][]>;
  epsilon: number;
  sample: number;
}

async function measure({ python, header, parts, epsilon, sample }: Trial): Promise<TableCell[]> {
  const columns = header.map((name, at) => codedColumn(name, parts.train, at));
  const random = createStream(sample, 'bench/privateMode/made');
  const [before, start] = [process.cpuUsage(), performance.now()];
  const rho = rhoOf(epsilon, DELTA);
  const model = await fitPrivately({
    columns,
    target: ADULT_TARGET,
    rho,
    curator: createCurator(rho, bytesOf(random.child('noise'))),
    onRound: async () => {},
    yieldToEventLoop: async () => {},
  });
  const drawing = { target: ADULT_TARGET, random: random.child('draw'), yieldToEventLoop: async () => {} };
  const codes = await drawPrivately(model, ROWS, drawing);
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - start) / 1000;
  const made = columns.map((column, at) => textsOf({ ...column, codes: codes[at]! }));
  const synthetic = pathOf(
    'synthetic',
    header,
    Array.from({ length: ROWS }, (_, row) => made.map((cells) => cells[row]!)),
  );
  const scores = judged(python, header, parts, synthetic);
  return ['ours', epsilon, sample, ...scores, model.pairs.length, (user + system) / 1e6, seconds];
}

const spentSchema = z.object({ seconds: z.number(), cpu: z.number() });

/** dpmm's AIM of the same rows and domain, ε and δ: its own bins of numbers are part of ε. */
function measureAim({ python, header, parts, epsilon, sample }: Trial): TableCell[] {
  const aim = preparePython('private-aim', AIM);
  const domain = join(cacheFolder(), 'private-domain.json');
  writeFileSync(domain, JSON.stringify(ADULT_DOMAIN));
  const made = join(cacheFolder(), 'private-aim.csv');
  const script = join(import.meta.dirname, 'support', 'aimTable.py');
  const files = [script, pathOf('train', header, parts.train), domain, made];
  const numbers = [epsilon, DELTA, sample].map(String);
  const limit = numberFrom('AIM_SECONDS', 7200);
  try {
    const { seconds, cpu } = spentSchema.parse(
      JSON.parse(execute('timeout', [String(limit), 'nice', '-n', '15', aim, ...files, ...numbers])),
    );
    return ['AIM', epsilon, sample, ...judged(python, header, parts, made), null, cpu, seconds];
  } catch (error) {
    console.log(`AIM did not end within ${limit} s, or failed: ${String(error)}`);
    return ['AIM', epsilon, sample, null, null, null, null, null, null, null];
  }
}

/** Noise that can be had again: a bench keeps no secret. */
const bytesOf = (stream: RandomStream) => (count: number) =>
  Uint8Array.from({ length: count }, () => stream.integer(256));

function codedColumn(name: string, rows: readonly string[][], at: number): CodedColumn {
  const cells = rows.map((row) => row[at]!);
  const levels = [...new Set(cells)];
  const codeOf = new Map(levels.map((level, code) => [level, code]));
  return codeColumn({ name, levels, codes: Int32Array.from(cells, (cell) => codeOf.get(cell)!) }, ADULT_DOMAIN[name]!);
}

function textsOf(column: CodedColumn): string[] {
  const made = decodeColumn(column);
  if (made.kind === 'numeric') return Array.from(made.values, (value) => (Number.isNaN(value) ? '' : String(value)));
  if (made.kind === 'category') return Array.from(made.codes, (code) => made.levels[code] ?? '');
  throw new Error(`${made.name} is text`);
}

function pathOf(name: string, header: string[], rows: string[][]): string {
  const path = join(cacheFolder(), `private-${name}.csv`);
  writeFileSync(path, Papa.unparse([header, ...rows]));
  return path;
}

/** Ratio, pairs, trend and columns. */
function judged(python: string, header: string[], { train, test }: Trial['parts'], synthetic: string): TableCell[] {
  const paths = [pathOf('train', header, train), pathOf('test', header, test), synthetic];
  const script = join(import.meta.dirname, 'support', 'privateScores.py');
  const printed = execute(python, [script, ...paths, ADULT_TARGET])
    .trim()
    .split('\n')
    .at(-1)!;
  const { tstr, trtr, pairs, trend, columns, worst } = scoresSchema.parse(JSON.parse(printed));
  console.log(`worst trends: ${worst.join(', ')}`);
  return [tstr / trtr, pairs, trend, columns];
}
