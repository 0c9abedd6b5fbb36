/** load → plan → fit → generate → measure: from a real table to a synthetic one. Knows nothing of jobs and stores. */

import { namedColumns } from '../../contract/columns.ts';
import type { ProgressEvent } from '../../contract/events.ts';
import type { FamilyChoice } from '../../contract/families.ts';
import { asksForHeldOut } from '../../contract/releasePolicy.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import type { CellTable } from '../../tables/table.ts';
import { affordsAttackFolds } from '../estimate/estimateJob.ts';
import { choiceLine } from '../family/compareFamilies.ts';
import { startsOf } from '../metrics/entities/entityRows.ts';
import type { ModelTable, OpenTextResources } from '../models/model.ts';
import { MODELS } from '../models/registry.ts';
import { fitSeedColumns } from './conditions.ts';
import { type Delivery, deliver, type Synthesis } from './deliver.ts';
import { arrangeEntities, type EntityColumns } from './entities/arrangeEntities.ts';
import { planSequences, type SequencePlan } from './entities/sequencePlan.ts';
import {
  type FittedSequences,
  fitSequences,
  generateSequences,
  holdOutEntities,
  seedColumnsOf,
  sequenceNotes,
} from './entities/sequences.ts';
import { fitIdentifiers, fitModels } from './fit.ts';
import { generateTable } from './generate.ts';
import { holdOut, type Split } from './holdOut.ts';
import type { GrowingTable } from './orders.ts';
import { makePlan, type Plan, type PlanOptions } from './plan.ts';
import type { Progress } from './progress.ts';
import { restoreModels, saveModels } from './savedModels.ts';

/** A real table: all its cells as text, and the profile that was made of the same bytes. */
export interface RealTable {
  profile: Profile;
  cells: CellTable;
}

export interface PipelineTask {
  /** Called once, after the first event. */
  load(): Promise<RealTable>;
  /** Checked against the profile (`checkRequest`). */
  request: TableRequest;
  seed: number;
  progress: Progress;
  /** Absent where models of text have no tensor engine. */
  openText?: OpenTextResources | undefined;
}

export interface FittedSynthesis extends Synthesis {
  /** From which `runSample` draws more rows; null where the models are too large to be kept. */
  saved: string | null;
}

/**
 * The same table, request and seed give the same synthetic table. Throws JobError where the data cannot be modelled, and
 * what `progress` throws where the work is to stop.
 */
export async function runPipeline(task: PipelineTask): Promise<FittedSynthesis> {
  const made = await deliver(await fitAndDraw(task));
  const { plan, models, sequences, seed, metrics } = made;
  const saved = saveModels({ seed, plan, models, sequences, verdicts: metrics.verdicts });
  const notes = saved === null ? [...metrics.notes, TOO_LARGE] : metrics.notes;
  return { ...made, metrics: { ...metrics, notes }, saved };
}

const TOO_LARGE = 'The models are too large to be kept, so no more rows can be drawn from them.';

/** load → plan → fit → generate: the rows as the models drew them, not yet compared with real ones. */
export async function fitAndDraw(task: PipelineTask): Promise<Delivery> {
  const { load, request, seed, progress, openText } = task;
  const random = createStream(seed, 'job');
  await progress.onProgress(firstEvent(request));
  const { profile, cells: all } = await load();
  await progress.onProgress(tableRead(all));
  const { cells, entity, notes: arranged } = arrangeEntities(all, profile, request);
  const { plan, table, notes } = makePlan(profile, cells, request, planOptions(entity));
  notes.unshift(...arranged);
  const { familyChoice } = plan;
  if (familyChoice && request.target_col !== null) {
    await progress.onProgress(familyChosen(request.target_col, familyChoice));
    notes.push(`${choiceLine(request.target_col, familyChoice)}.`);
  }
  const isOfRows = entity === null;
  const crossFits = { withoutHoldout: isOfRows, attacks: isOfRows && affordsAttackFolds(profile, request) };
  const common = { request, seed, progress, random, notes, crossFits };
  if (entity) return { ...common, ...(await drawEntityTable({ ...task, plan, table, random, notes })) };
  const split = holdOut(table, request.target_col, random.child('holdout'));
  await progress.onProgress(rowsSplit(split));

  const fitting = random.child('fit');
  const models = [
    ...(await fitModels(plan, split.train, fitting, progress, openText)),
    ...(await fitIdentifiers(plan, table, fitting, progress)),
  ];
  const seedColumns = fitSeedColumns(plan, split.train, fitting.child('starts'));
  const making = random.child('generate');
  const options = { seedColumns, notes, yieldToEventLoop: progress.yieldToEventLoop };
  const rows = request.n_entities ?? request.n_samples;
  const drawn = await generateTable(plan, models, rows, making, progress.onProgress, options);
  return { ...common, plan, models, seedColumns, sequences: null, table, split, drawn };
}

/** Relations that some rows break are left to the models of sequences. */
const planOptions = (entity: EntityColumns | null): PlanOptions => ({ entity, withoutExceptions: entity !== null });

interface EntityTask extends PipelineTask {
  plan: Plan;
  table: GrowingTable;
  random: RandomStream;
  notes: string[];
}

/** The same of a table whose rows belong together: entities are held out, and drawn. */
async function drawEntityTable(
  task: EntityTask,
): Promise<Pick<Delivery, 'plan' | 'models' | 'seedColumns' | 'sequences' | 'table' | 'split' | 'drawn'>> {
  const { request, progress, random, table, notes, openText } = task;
  const { plan, sequences } = planSequences(task.plan, table, request, notes);
  const split = holdOutEntities(table, sequences.key, random.child('holdout'));
  await progress.onProgress(entitiesFound(table, sequences));
  await progress.onProgress(rowsSplit(split));
  const fitting = { plan: sequences, table, train: split.train, random: random.child('fit'), progress, openText };
  const fitted = await fitSequences(fitting);
  notes.push(...sequenceNotes(fitted));
  const drawn = await generateSequences(plan, fitted, request, random.child('generate'), progress, notes);
  const models = [...fitted.ofEntities, ...fitted.besideRows];
  return { plan, models, seedColumns: null, sequences: fitted, table, split, drawn };
}

const entitiesFound = (table: ModelTable, { key, constants, columns }: SequencePlan): ProgressEvent => ({
  stage: 'plan',
  fact: 'entities_found',
  entities: startsOf(table, key).length - 1,
  rows: table.rows,
  constant: constants.length,
  changing: columns.length,
});

const tableRead = ({ rows, columns }: CellTable): ProgressEvent => ({
  stage: 'load',
  fact: 'table_read',
  rows,
  columns: columns.length,
});

function firstEvent(request: TableRequest): ProgressEvent {
  const { target_col: column, text_cols: columns, family, draws } = request;
  if (column !== null)
    return { stage: 'start', fact: 'target_model', model: MODELS.target.name, column, family, draws };
  if (columns.length > 0) return { stage: 'start', fact: 'text_model', model: MODELS.text.name, columns };
  return { stage: 'start', fact: 'no_target', columns: namedColumns(request).length };
}

const familyChosen = (column: string, { family, runner_up }: FamilyChoice): ProgressEvent => ({
  stage: 'plan',
  fact: 'family_chosen',
  column,
  family,
  runner_up: runner_up && {
    family: runner_up.family,
    difference: finite(runner_up.difference),
    standard_error: finite(runner_up.standard_error),
  },
});

const rowsSplit = ({ train, holdout }: Split): ProgressEvent => ({
  stage: 'holdout',
  fact: 'rows_split',
  train: train.rows,
  holdout: holdout?.rows ?? null,
});

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

// load → plan → restore → generate → measure: more rows from fitted models, without a fit.

export interface SampleTask extends PipelineTask {
  source: {
    /** The request and the seed that the models were fitted under. */
    request: TableRequest;
    seed: number;
    /** The job that fitted them; null where none did. */
    jobId: string | null;
    /** `saved` of the synthesis. */
    models(): Promise<string>;
  };
}

/**
 * The rows are measured against the real ones, and pass the gate, as those of the first table did: so the table is read
 * again. The split is the one that the models were fitted on. Only a rule of the gate that cannot be looked at otherwise
 * has models fitted to parts of a small table again.
 */
export async function runSample(task: SampleTask): Promise<Synthesis> {
  const { request, seed, progress, source } = task;
  await progress.onProgress({ stage: 'start', fact: 'restored_model', job_id: source.jobId });
  const { profile, cells: all } = await task.load();
  await progress.onProgress(tableRead(all));
  const saved = await source.models();
  const { cells, entity, notes: arranged } = arrangeEntities(all, profile, request);
  if (entity)
    return sampleEntities(task, { ...makePlan(profile, cells, request, planOptions(entity)), saved, arranged });
  const { table, notes, ...planned } = makePlan(profile, cells, request);
  const plan = planOf(planned.plan, source.request);
  const { models, verdicts } = restoreModels(saved, source.jobId, plan, task.openText);
  const fitting = createStream(source.seed, 'job');
  const split = holdOut(table, request.target_col, fitting.child('holdout'));
  const name = source.jobId === null ? 'this table' : `job ${source.jobId}`;
  await progress.onProgress({ stage: 'fit', fact: 'models_restored', models: models.length });
  const isGiven = source.request.conditions.length > 0;
  const seedColumns = isGiven ? fitSeedColumns(plan, split.train, fitting.child('fit').child('starts')) : null;
  notes.unshift(`The rows come from the model of ${name}; no model was fitted.`);

  const random = createStream(seed, 'sample');
  const options = { seedColumns, notes, yieldToEventLoop: progress.yieldToEventLoop };
  const making = random.child('generate');
  const rows = request.n_entities ?? request.n_samples;
  const drawn = await generateTable(plan, models, rows, making, progress.onProgress, options);
  const withoutHoldout = request.policy !== null && asksForHeldOut(request.policy);
  const crossFits = { withoutHoldout, attacks: false };
  const made = { request, seed, progress, random, plan, models, seedColumns, table, split, drawn, notes };
  return deliver({ ...made, sequences: null, crossFits, before: verdicts });
}

interface SavedEntities {
  plan: Plan;
  table: GrowingTable;
  notes: string[];
  saved: string;
  arranged: readonly string[];
}

/** More entities from fitted models. */
async function sampleEntities(task: SampleTask, { saved, arranged, ...made }: SavedEntities): Promise<Synthesis> {
  const { request, seed, progress, source } = task;
  const { table } = made;
  const notes = [...arranged, ...made.notes];
  const { plan, sequences: own } = planSequences(made.plan, table, request, notes);
  const { models, verdicts, sequence } = restoreModels(saved, source.jobId, plan, task.openText);
  const { ofEntities, meanLength, rows } = sequence!;
  const fitting = createStream(source.seed, 'job');
  const split = holdOutEntities(table, own.key, fitting.child('holdout'));
  await progress.onProgress({ stage: 'fit', fact: 'models_restored', models: models.length + 1 });
  const isGiven = source.request.conditions.length > 0;
  const sequencePlan = { ...own, ofEntities: planOf(own.ofEntities, source.request) };
  const fitted: FittedSequences = {
    plan: sequencePlan,
    ofEntities: models.slice(0, ofEntities),
    besideRows: models.slice(ofEntities),
    train: split.train,
    rows,
    meanLength,
    seedColumns: isGiven ? seedColumnsOf(own, split.train, fitting.child('fit')) : null,
  };
  const name = source.jobId === null ? 'this table' : `job ${source.jobId}`;
  notes.unshift(`The rows come from the model of ${name}; no model was fitted.`);
  const random = createStream(seed, 'sample');
  const drawn = await generateSequences(plan, fitted, request, random.child('generate'), progress, notes);
  const rest = {
    request,
    seed,
    progress,
    random,
    plan,
    models,
    seedColumns: null,
    sequences: fitted,
    table,
    split,
    drawn,
    notes,
  };
  return deliver({ ...rest, crossFits: { withoutHoldout: false, attacks: false }, before: verdicts });
}

/** Models that were fitted without conditions are given nothing beforehand: rows that do not meet them are redrawn. */
const planOf = (plan: Plan, { conditions }: TableRequest): Plan =>
  conditions.length > 0 ? plan : { ...plan, seedColumns: [] };
