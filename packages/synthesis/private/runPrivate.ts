/** load → measure privately → draw → compare: a table that keeps to (ε, δ), from a real one. */
import { createHash, randomBytes } from 'node:crypto';
import { namedColumns } from '../../contract/columns.ts';
import { JobError } from '../../contract/errors.ts';
import type { FormalPrivacy } from '../../contract/privacy.ts';
import { VERSION } from '../../contract/version.ts';
import { rhoOf } from '../../numerics/privacy/accounting.ts';
import { type Curator, createCurator } from '../../numerics/privacy/curator.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { type CellTable, columnOf } from '../../tables/table.ts';
import { counted, quoted } from '../../words/wording.ts';
import { measureAll, measureNotes } from '../metrics/measureAll.ts';
import { halves } from '../metrics/parts.ts';
import type { ModelTable } from '../models/model.ts';
import { associationsOf, type Synthesis } from '../pipeline/deliver.ts';
import { measureRolesOf } from '../pipeline/plan.ts';
import type { FittedSynthesis, PipelineTask, RealTable, SampleTask } from '../pipeline/runPipeline.ts';
import { withLargestDifferences } from '../pipeline/toMetrics.ts';
import { judge } from '../report/judge.ts';
import { judgeGuarantee } from '../report/judgeGuarantee.ts';
import type { PrivateRequest } from '../request/checkPrivacy.ts';
import { type CodedColumn, codeColumn, decodeColumn } from './codes.ts';
import { expectedVariation } from './expectedVariation.ts';
import { planPrivately } from './planPrivately.ts';
import { drawPrivately, fitPrivately, type PrivateModel, privateModelSchema } from './privateModel.ts';

export interface PrivateTask extends PipelineTask {
  request: PrivateRequest;
}

/** Noise from the system's secure generator: no seed can bring it back. */
const secretCurator = (budget: number): Curator => createCurator(budget, (count) => randomBytes(count));

/**
 * The cells are seen by the curator alone until every row is drawn; what follows compares, for the owner. `saved` holds the
 * measurements, from which the same seed draws the same rows.
 */
export async function runPrivate(
  task: PrivateTask,
  openCurator: (budget: number) => Curator = secretCurator,
): Promise<FittedSynthesis> {
  const { request, progress } = task;
  await progress.onProgress({ stage: 'start', fact: 'no_target', columns: namedColumns(request).length });
  const { real, columns } = await read(task);
  const { epsilon, delta } = request.privacy;
  const rho = rhoOf(epsilon, delta);
  const curator = openCurator(rho);
  const { yieldToEventLoop } = progress;
  let last = 0;
  const model = await fitPrivately({
    columns,
    target: request.target_col,
    curator,
    rho,
    yieldToEventLoop,
    async onRound(share) {
      const done = Math.floor(100 * share);
      if (done < last + 10 && done < 100) return;
      last = done;
      await progress.onProgress({ stage: 'fit', fact: 'privately_measured', done, total: 100 });
    },
  });
  const saved = JSON.stringify(model);
  const random = createStream(task.seed, 'job');
  const guarantee = guaranteeOf(request, columns, { model, saved, spent: curator.spent() });
  return { ...(await drawn(task, { real, columns, model, random, guarantee })), saved };
}

/** More rows from the measurements of an earlier table: nothing is measured again, and nothing is spent. */
export async function samplePrivately(task: SampleTask & PrivateTask): Promise<Synthesis> {
  const { progress, source } = task;
  await progress.onProgress({ stage: 'start', fact: 'restored_model', job_id: source.jobId });
  const { real, columns } = await read(task);
  const saved = await source.models();
  const model = restore(saved, columns, source.jobId);
  const guarantee = guaranteeOf(task.request, columns, { model, saved, spent: 0 });
  return drawn(task, { real, columns, model, random: createStream(task.seed, 'sample'), guarantee });
}

/** Throws JobError `invalid_data` where another version measured otherwise, or other columns. */
function restore(saved: string, columns: readonly CodedColumn[], jobId: string | null): PrivateModel {
  const found = privateModelSchema.safeParse(JSON.parse(saved));
  if (found.success && found.data.columns.map(({ name }) => name).join() === columns.map(({ name }) => name).join())
    return found.data;
  throw new JobError({ reason: 'model_of_other_version', job_id: jobId });
}

async function read({ load, request, progress }: PrivateTask): Promise<{ real: RealTable; columns: CodedColumn[] }> {
  const real = await load();
  const { cells } = real;
  await progress.onProgress({ stage: 'load', fact: 'table_read', rows: cells.rows, columns: cells.columns.length });
  return { real, columns: codedColumns(cells, request) };
}

/** In the file's order, which is no secret. */
function codedColumns(cells: CellTable, request: PrivateRequest): CodedColumn[] {
  const named = new Set(namedColumns(request).map(({ name }) => name));
  return cells.columns.flatMap(({ name }) => {
    const domain = named.has(name) ? request.domain?.[name] : undefined;
    return domain ? [codeColumn(columnOf(cells, name), domain)] : [];
  });
}

interface Measured {
  real: RealTable;
  columns: readonly CodedColumn[];
  model: PrivateModel;
  random: RandomStream;
  guarantee: FormalPrivacy;
}

async function drawn(task: PrivateTask, { real, columns, model, random, guarantee }: Measured): Promise<Synthesis> {
  const { request, seed, progress } = task;
  const rows = request.n_samples;
  const { yieldToEventLoop } = progress;
  const drawing = { target: request.target_col, random: random.child('generate'), yieldToEventLoop };
  const codes = await drawPrivately(model, rows, drawing);
  await progress.onProgress({ stage: 'generate', fact: 'numbers_drawn', done: rows, total: rows });
  const synthetic = tableOf(columns.map((column, at) => ({ ...column, codes: codes[at]! })));
  const table = tableOf(columns);
  const plan = planPrivately(real.profile, request, columns);
  const split = halves(table, random.child('halves'));
  const measures = await measureAll({
    ...split,
    synthetic,
    roles: measureRolesOf(plan),
    family: null,
    crossFit: null,
    isSplit: true,
    random: random.child('measure'),
    ...progress,
  });
  const associations = associationsOf(plan, table, synthetic, random);
  const figures = {
    ...withLargestDifferences(measures, associations),
    regression: null,
    release: null,
    formal_privacy: guarantee,
    seed,
    version: VERSION,
    rows_generated: synthetic.rows,
    columns: columns.map(({ name }) => name),
    notes: [...alteredNotes(columns), ...measureNotes(measures)],
  };
  const verdicts = judge(figures).map((judgement) =>
    judgement.area === 'privacy' ? judgeGuarantee(guarantee, judgement) : judgement,
  );
  const made = { request, seed, progress, random, plan, models: [], seedColumns: null, sequences: null, table, split };
  return { ...made, synthetic, associations, metrics: { ...figures, verdicts } };
}

const tableOf = (columns: readonly CodedColumn[]): ModelTable => ({
  rows: columns[0]?.codes.length ?? 0,
  columns: new Map(columns.map((column) => [column.name, decodeColumn(column)])),
});

/** For the owner: what the domain did to the file's cells. */
const alteredNotes = (columns: readonly CodedColumn[]): string[] =>
  columns
    .filter(({ altered }) => altered > 0)
    .map(
      ({ name, altered }) =>
        `${counted(altered, 'cell')} of column ${quoted(name)} ${altered === 1 ? 'lies' : 'lie'} outside its domain: other levels and what is no number counted as missing, numbers were moved to the nearer end.`,
    );

function guaranteeOf(
  { privacy: { epsilon, delta } }: PrivateRequest,
  columns: readonly CodedColumn[],
  { model, saved, spent }: { model: PrivateModel; saved: string; spent: number },
): FormalPrivacy {
  const rho = rhoOf(epsilon, delta);
  return {
    unit: 'row',
    epsilon,
    delta,
    rho,
    spent,
    columns_measured: model.columns.length,
    pairs_measured: model.pairs.length,
    measurements_sha256: createHash('sha256').update(saved).digest('hex'),
    expected_total_variation: expectedVariation(rho, model.total, columns),
    figures_for_owner: true,
  };
}
