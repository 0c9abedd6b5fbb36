/**
 * SHA-256 of everything that a table is delivered as, by shared table, kind of job and seed, beside those on record: a change
 * of structure leaves every hash as it is. `RECORD=1` records them, `BENCH_TABLES=adult,titanic` looks at some tables.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { z } from 'zod';
import type { ColumnDomain } from '../packages/contract/privacy.ts';
import { type TableRequestBody, tableRequestSchema } from '../packages/contract/requests.ts';
import { createCurator } from '../packages/numerics/privacy/curator.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { compare } from '../packages/synthesis/library/compare.ts';
import type { Row } from '../packages/synthesis/library/source.ts';
import { readSource, type SyntheticTable, synthesize } from '../packages/synthesis/library/synthesize.ts';
import { working } from '../packages/synthesis/library/work.ts';
import { makeTable } from '../packages/synthesis/make.ts';
import { isPrivate } from '../packages/synthesis/request/checkPrivacy.ts';
import { writeTable } from '../packages/synthesis/write.ts';
import type { Bench } from './support/bench.ts';
import { readRoles, sharedData, sharedNames, type TableRoles } from './support/sharedTables.ts';

const RECORD = join(import.meta.dirname, 'records', 'outputs.json');
const SEEDS = [1, 2];
/** Rows of each table: enough for every part of the models that rows ask for, few enough for a run between two commits. */
const ROWS = 360;
const ROWS_WITH_TEXT = 160;
const MADE = 240;
const ROWS_OF_ENTITY = 4;
const ENTITY = 'unit';
/** Of numbers in the domain of a private table. */
const DOMAIN_DECIMALS = 2;

/** By table, kind of job, seed and file. */
type Hashes = Record<string, string>;
const recordSchema = z.record(z.string(), z.string());

export const bench: Bench = {
  title: 'SHA-256 of CSV, report, metrics and model of twelve tables, six kinds of job and two seeds: all as on record',
  async run() {
    if (!sharedData) throw new Error('the shared tables are not here');
    const names = sharedNames(sharedData);
    const chosen = process.env.BENCH_TABLES?.split(',') ?? names;
    const found: Hashes = {};
    for (const name of chosen) {
      for (const seed of SEEDS) Object.assign(found, await hashesOf(sharedData, name, seed));
      console.log(`${name}: ${Object.keys(found).length} files so far`);
    }
    if (process.env.RECORD) writeRecord(found);
    else report(found);
  },
};

function writeRecord(found: Hashes): void {
  const all = { ...readRecord(), ...found };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(RECORD, `${JSON.stringify(sorted, null, 2)}\n`);
  console.log(`${Object.keys(found).length} hashes recorded`);
}

const readRecord = (): Hashes =>
  existsSync(RECORD) ? recordSchema.parse(JSON.parse(readFileSync(RECORD, 'utf8'))) : {};

function report(found: Hashes): void {
  const record = readRecord();
  const different = Object.keys(found).filter((key) => record[key] !== found[key]);
  console.log(`${Object.keys(found).length} hashes, ${different.length} not as on record`);
  for (const key of different) console.log(`  ${key}`);
  if (different.length > 0) process.exitCode = 1;
}

async function hashesOf(folder: string, name: string, seed: number): Promise<Hashes> {
  const roles = readRoles(folder, name);
  const rows = readRows(join(folder, `${name}.csv`), roles.text.length > 0 ? ROWS_WITH_TEXT : ROWS);
  const request = requestFor(roles);
  const found: Hashes = {};
  const add = async (kind: string, files: Promise<Hashes>): Promise<void> => {
    for (const [file, hash] of Object.entries(await files)) found[`${name} / ${kind} / ${seed} / ${file}`] = hash;
  };
  const make = async (kind: string, table: readonly Row[], own: TableRequestBody): Promise<SyntheticTable> => {
    const made = await synthesize(table, { ...request, ...own }, { seed });
    await add(kind, hashesOfTable(made));
    await add(
      `sample of ${kind}`,
      hashesOfTable(await made.model.sample(own.n_entities ? { entities: 20 } : 50, { seed })),
    );
    return made;
  };
  const made = await make('rows', rows, {});
  await make('entities', withEntities(rows), { entity_col: ENTITY, n_entities: MADE / ROWS_OF_ENTITY });
  await make('conditions', rows, { conditions: [conditionFor(rows, roles)] });
  await add('private', hashesOfPrivate(rows, roles, seed));
  const half = rows.length / 2;
  const compared = await compare(rows.slice(0, half), made.rows.all(), request, { holdout: rows.slice(half), seed });
  await add('compare', hashesOfFigures(compared));
  return found;
}

/** Evenly spread over the file. */
function readRows(path: string, count: number): Row[] {
  const text = readFileSync(path, 'utf8');
  const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
  const rows = Math.min(count, data.length);
  return Array.from({ length: rows }, (_, row) => data[Math.floor((row * data.length) / rows)]!);
}

function requestFor({ target, continuous, categorical, text }: TableRoles): TableRequestBody {
  const columns = { continuous_cols: continuous, categorical_cols: categorical, text_cols: text };
  const common = { ...columns, n_samples: MADE, allow_few_rows: true };
  return target === null ? common : { ...common, target_col: target };
}

const withEntities = (rows: readonly Row[]): Row[] =>
  rows.map((row, at) => ({ ...row, [ENTITY]: `u${Math.floor(at / ROWS_OF_ENTITY)}` }));

/** A third of the rows have the first level of a category, or a number above the median. */
function conditionFor(rows: readonly Row[], { categorical, continuous }: TableRoles) {
  const [category, number] = [categorical[0], continuous[0]];
  const common = { rows: MADE / 3 };
  if (category !== undefined) {
    const counts = new Map<string, number>();
    for (const row of rows) counts.set(String(row[category]), (counts.get(String(row[category])) ?? 0) + 1);
    const [[level = ''] = []] = [...counts].sort((a, b) => b[1] - a[1]);
    return { ...common, column: category, equals: level };
  }
  const sorted = rows.map((row) => Number(row[number ?? ''])).sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  return { ...common, column: number ?? '', between: [median, null] as [number, null] };
}

async function hashesOfTable(made: SyntheticTable): Promise<Hashes> {
  return { csv: hash(await made.csvText()), ...(await hashesOfFigures(made)), model: hash(made.model.save()) };
}

async function hashesOfFigures(made: Pick<SyntheticTable, 'metrics' | 'report'>): Promise<Hashes> {
  const { data, html } = (await made.report()) ?? { data: {}, html: '' };
  return { metrics: hash(inOrder(made.metrics)), report: hash(inOrder(data)), page: hash(html.replace(MADE_AT, '')) };
}

/** JSON with sorted keys, whose order means nothing, and without the moment and the software of a report. */
function inOrder(data: unknown): string {
  return JSON.stringify(data, (key, value: unknown) => {
    if (key === 'made_at' || key === 'software') return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Dates and software that the page names. */
const MADE_AT = /\d{4}-\d\d-\d\d[^<"]*|\d{1,2} \w+ \d{4}|Node[^<"]*/g;

/** The noise of a private table comes from a seed here, which no private table may have. */
async function hashesOfPrivate(rows: readonly Row[], roles: TableRoles, seed: number): Promise<Hashes> {
  const columns = [...(roles.target === null ? [] : [roles.target]), ...roles.continuous, ...roles.categorical];
  const domain = Object.fromEntries(columns.map((name) => [name, domainOf(rows, name)]));
  const names = (kind: 'levels' | 'min') => columns.filter((name) => kind in domain[name]!);
  const request = tableRequestSchema.parse({
    continuous_cols: names('min'),
    categorical_cols: names('levels'),
    target: 'none',
    n_samples: MADE,
    privacy: { epsilon: 5 },
    domain,
  });
  if (!isPrivate(request)) throw new Error('the request is not private');
  return working({}, async (work) => {
    const { table } = await readSource(rows, work, {});
    const noise = createStream(seed, 'outputs');
    const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => noise.integer(256));
    const openText = async () => {
      throw new Error('there is no text');
    };
    const { saved, ...made } = await makeTable({
      load: async () => table,
      request,
      seed,
      openText,
      progress: work.progress,
      openCurator: (budget) => createCurator(budget, bytes),
    });
    const digest = createHash('sha256');
    for await (const part of writeTable(made, async () => {})) digest.update(part);
    return { csv: digest.digest('hex'), metrics: hash(inOrder(made.metrics)), model: hash(saved ?? '') };
  });
}

/** What the cells may be. Read from the rows, which a real domain never is. */
function domainOf(rows: readonly Row[], name: string): ColumnDomain {
  const cells = rows.map((row) => String(row[name] ?? '')).filter((cell) => cell !== '');
  const numbers = cells.map(Number);
  if (numbers.some(Number.isNaN)) return { levels: [...new Set(cells)].sort() };
  const [min, max] = [Math.floor(Math.min(...numbers)), Math.ceil(Math.max(...numbers))];
  return { min, max, decimals: DOMAIN_DECIMALS };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
