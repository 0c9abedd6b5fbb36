/** Metrics of the models on real tables, beside real rows, independent columns and real rows with a tenth swapped. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateRequestSchema } from '../packages/contract/requests.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../packages/numerics/random/stream.ts';
import { measureTable, type RealFigures } from '../packages/synthesis/judge/measureAll.ts';
import { independentColumns, swappedTenth } from '../packages/synthesis/judge/parts.ts';
import { fitModels } from '../packages/synthesis/methods/rows/fitRows.ts';
import { generateTable } from '../packages/synthesis/methods/rows/generateRows.ts';
import { holdOut } from '../packages/synthesis/methods/rows/holdOut.ts';
import type { ModelTable, OnProgress } from '../packages/synthesis/models/model.ts';
import { makePlan, measureRolesOf, type Plan, withoutText } from '../packages/synthesis/plan/plan.ts';
import type { Split } from '../packages/synthesis/table/split.ts';
import { profileUpload } from '../packages/tables/profile/profileUpload.ts';
import { readTable } from '../packages/tables/readTable.ts';
import { readFilms } from '../scripts/demo/realTable.ts';
import type { Bench } from './support/bench.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { readRoles, sharedData, sharedNames, type TableRoles } from './support/sharedTables.ts';

const FIGURES = [
  'KS (Avg)',
  'WD (Avg)',
  'Corr Diff (F-Norm)',
  'DCR (Avg)',
  'Duplicate Rate (%)',
  'TSTR R²',
  'TSTR RMSE',
] as const;
const HEADER = ['rows of', 'rows', 's', ...FIGURES];
const silent: OnProgress = async () => {};

type Maker = (train: ModelTable, rows: number, random: RandomStream) => Promise<ModelTable>;

export const bench: Bench = {
  title: 'Metrics of the models beside real rows, independent columns and a tenth of cells swapped (text left out)',
  async run() {
    const failed: string[] = [];
    for (const { name, bytes, roles } of tables()) {
      await measureAll(name, bytes, roles).catch((error: Error) => failed.push(`${name}: ${error.message}`));
    }
    if (failed.length > 0) throw new Error(`some tables failed:\n${failed.join('\n')}`);
  },
};

/** The shared tables that have a target, or the films of the demo. */
function* tables(): Generator<{ name: string; bytes: Uint8Array; roles: TableRoles }> {
  if (sharedData === undefined) {
    const continuous = ['US Gross', 'Worldwide Gross', 'Production Budget', 'Running Time min'];
    const roles = { target: 'IMDB Rating', continuous, categorical: ['MPAA Rating', 'Major Genre'], text: [] };
    yield { name: 'films', bytes: new TextEncoder().encode(readFilms()), roles };
    return;
  }
  for (const name of sharedNames(sharedData)) {
    const roles = readRoles(sharedData, name);
    if (roles.target !== null) yield { name, bytes: readFileSync(join(sharedData, `${name}.csv`)), roles };
  }
}

async function measureAll(name: string, bytes: Uint8Array, roles: TableRoles): Promise<void> {
  const random = createStream(1, `bench/baselines/${name}`);
  const { plan, table } = await planOf(name, bytes, roles);
  const progress = { onProgress: silent, yieldToEventLoop: async () => {} };
  const split = holdOut(table, roles.target, random.child('holdout'));
  const makers: Record<string, Maker> = {
    models: async (train, rows, stream) => {
      const models = await fitModels({ plan, table: train, random: stream.child('fit'), progress });
      return generateTable({ plan, models, rows, random: stream.child('generate'), progress });
    },
    'a tenth swapped': async (train, rows, stream) => swappedTenth(train, rows, stream),
    'independent columns': async (train, rows, stream) => independentColumns(train, rows, stream),
  };
  const lines: TableCell[][] = [];
  for (const [maker, make] of Object.entries(makers)) {
    const { numeric, holdout, seconds } = await measureMaker(plan, split, make, random.child(maker));
    if (holdout && lines.length === 0) lines.push(lineOf('real holdout', split.holdout?.rows, null, holdout));
    lines.push(lineOf(maker, split.train.rows, seconds, numeric));
  }
  console.log(
    `\n${name}: ${table.rows} rows, ${split.holdout?.rows ?? 'none'} held out, family ${plan.settings.family}`,
  );
  printTable(HEADER, lines);
}

async function planOf(name: string, bytes: Uint8Array, roles: TableRoles): Promise<{ plan: Plan; table: ModelTable }> {
  const profile = await profileUpload(oneChunk(bytes), `${name}.csv`);
  const { target: target_col, continuous: continuous_cols, categorical: categorical_cols } = roles;
  const request = generateRequestSchema.parse({ job_id: name, target_col, continuous_cols, categorical_cols });
  const { plan, table } = makePlan(profile, await readTable(oneChunk(bytes), profile.dialect), request);
  return { plan: withoutText(plan), table };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Makes as many rows as there are to learn from and measures them; a table without a holdout is cross-fitted. */
async function measureMaker(plan: Plan, { train, holdout }: Split, make: Maker, random: RandomStream) {
  const start = performance.now();
  const synthetic = await make(train, train.rows, random.child('make'));
  const seconds = (performance.now() - start) / 1000;
  const measures = await measureTable({
    train,
    holdout,
    synthetic,
    roles: measureRolesOf(plan),
    family: plan.settings.family,
    crossFit: (part, rows, fold) => make(part, rows, random.child(`fold ${fold}`)),
    random: random.child('measure'),
    onProgress: silent,
  });
  return { ...measures, seconds };
}

const lineOf = (name: string, rows: number | undefined, seconds: number | null, figures: RealFigures): TableCell[] => [
  name,
  rows,
  seconds,
  ...FIGURES.map((figure) => figures[figure]),
];
