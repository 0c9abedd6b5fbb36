/** Splits, fits and draws whole entities. */
import type { TableRequest } from '../../../contract/requests.ts';
import { shuffleFirst } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { counted, quoted } from '../../../words/wording.ts';
import { rowsWithKeys } from '../../disclosure/keys.ts';
import type { ModelColumn, ModelTable, OpenTextResources } from '../../models/model.ts';
import { entitiesOf, fitSequence } from '../../models/sequence/fitSequence.ts';
import type { FittedSequence } from '../../models/sequence/sequenceModel.ts';
import { fitSeedColumns, type SeedColumns } from '../../plan/conditions.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Progress } from '../../progress.ts';
import { concatRows } from '../../table/concatRows.ts';
import { startsOf, takeEntities } from '../../table/entityRows.ts';
import type { Split } from '../../table/split.ts';
import { takeRows } from '../../table/takeRows.ts';
import { deriveColumns, placeColumns, plannedByName } from '../placeColumns.ts';
import { type FittedRole, fitIdentifiers, fitModels, isOfTarget } from '../rows/fitRows.ts';
import { generateTable } from '../rows/generateRows.ts';
import { chooseEntities } from './chooseEntities.ts';
import { describeTarget } from './describeTarget.ts';
import { drawSequences } from './drawSequences.ts';
import { columnsOfRows, entityTable, type SequencePlan } from './sequencePlan.ts';
import { withinWords } from './withinEntities.ts';

export interface FittedSequences {
  plan: SequencePlan;
  ofEntities: readonly FittedRole[];
  seedColumns: SeedColumns | null;
  rows: FittedSequence;
  /** Models of texts, identifiers and a described target. */
  besideRows: readonly FittedRole[];
  meanLength: number;
  /** The chosen entities must resemble these. */
  train: ModelTable;
}

/** MAX_HELD_OUT is enough for figures; the models need the rest. */
const MIN_TO_HOLD_OUT = 100;
const MAX_HELD_OUT = 1000;
const HELD_OUT_SHARE = 0.1;

export function holdOutEntities(table: ModelTable, key: string, random: RandomStream): Split {
  const starts = startsOf(table, key);
  const entities = starts.length - 1;
  if (entities < MIN_TO_HOLD_OUT) return { train: table, holdout: null };
  const order = Int32Array.from({ length: entities }, (_, entity) => entity);
  const held = Math.min(MAX_HELD_OUT, Math.round(entities * HELD_OUT_SHARE));
  shuffleFirst(order, held, random);
  return {
    train: takeEntities(table, starts, order.slice(held).sort()),
    holdout: takeEntities(table, starts, order.slice(0, held).sort()),
  };
}

interface FitTask {
  plan: SequencePlan;
  /** All rows, since no key may be released. */
  table: ModelTable;
  train: ModelTable;
  random: RandomStream;
  progress: Progress;
  openText: OpenTextResources | undefined;
}

export async function fitSequences({
  plan,
  table,
  train,
  random,
  progress,
  openText,
}: FitTask): Promise<FittedSequences> {
  const starts = startsOf(train, plan.key);
  const names = [...plan.constants, plan.key];
  const own = entityTable(train, starts, names);
  const all = entityTable(table, startsOf(table, plan.key), names);
  const constants = random.child('entities');
  const ofEntities = [
    ...(await fitModels({ plan: plan.ofEntities, table: own, random: constants, progress, openText })),
    ...(await fitIdentifiers({ plan: plan.ofEntities, table: all, random: constants, progress })),
  ];
  const { keepRare } = plan.ofEntities.settings;
  const { onProgress, yieldToEventLoop } = progress;
  const rows = await fitSequence({
    table: train,
    starts,
    constants: withoutKey(own, plan.key),
    columns: plan.columns,
    keepRare,
    random: random.child('sequences'),
    onProgress,
    yieldToEventLoop,
  });
  const besideRows = [
    ...(await describeTarget({ plan, train, starts, random: random.child('rows'), progress })),
    ...(await fitModels({
      plan: plan.ofRows,
      table: train,
      random: random.child('rows'),
      progress,
      openText,
      roles: ['text'],
      beside: columnsOfRows(plan, train),
      owners: entitiesOf(starts),
    })),
    ...(await fitIdentifiers({ plan: plan.ofRows, table, random: random.child('rows'), progress })),
  ];
  const seedColumns = seedColumnsOf(plan, train, random);
  return { plan, ofEntities, seedColumns, rows, besideRows, meanLength: train.rows / (starts.length - 1), train };
}

/** Pass the `random` of the fit. */
export function seedColumnsOf(plan: SequencePlan, train: ModelTable, random: RandomStream): SeedColumns | null {
  const own = entityTable(train, startsOf(train, plan.key), plan.constants);
  return fitSeedColumns(plan.ofEntities, own, random.child('entities').child('starts'));
}

function withoutKey(table: ModelTable, key: string): ModelTable {
  const columns = new Map(table.columns);
  columns.delete(key);
  return { rows: table.rows, columns };
}

/** Entities, or maximum rows of whole entities. */
export type Wanted = Pick<TableRequest, 'n_samples' | 'n_entities'>;

/** Drawn entities per expected one, plus MORE. */
const SPARE = 1.1;
const MORE = 5;
const MAX_ROUNDS = 8;

/** What entities are drawn by, and how much is reported. */
export interface EntityModels {
  plan: Plan;
  fitted: FittedSequences;
  progress: Progress;
  /** Takes sentences about the rows. */
  notes: string[];
}

export async function generateSequences(
  models: EntityModels,
  { n_samples, n_entities }: Wanted,
  random: RandomStream,
): Promise<ModelTable> {
  const { plan, fitted, notes } = models;
  const isFree = plan.entity !== null && fitted.plan.ofEntities.batches.length === 0;
  if (n_entities !== null) {
    const draw = isFree ? drawChosen : drawEntities;
    const drawn = await draw(models, n_entities, random);
    noteBroken(drawn.broken, notes);
    return drawn.table;
  }
  const parts: ModelTable[] = [];
  let left = n_samples;
  for (let round = 0; round < MAX_ROUNDS && left > 0; round++) {
    const count = Math.ceil((SPARE * left) / fitted.meanLength) + MORE;
    const stream = round === 0 ? random : random.child(`round ${round}`);
    const draw = isFree ? drawChosen : drawEntities;
    const { table, starts, broken } = await draw(models, count, stream);
    const whole = wholeEntities(starts, left);
    noteBroken(broken.subarray(0, whole), notes);
    const isFull = whole < starts.length - 1;
    const used = Math.max(whole, round === 0 && isFull ? 1 : 0);
    if (used > 0)
      parts.push(
        takeRows(
          table,
          Int32Array.from({ length: starts[used]! }, (_, row) => row),
        ),
      );
    left = isFull ? 0 : left - starts[used]!;
  }
  return concatRows(parts);
}

function wholeEntities(starts: Int32Array, rows: number): number {
  let count = 0;
  while (count + 1 < starts.length && starts[count + 1]! <= rows) count++;
  return count;
}

/** Drawn entities per wanted one, and minimum real entities for a choice. */
const SURPLUS = 3.2;
const MIN_REAL = 200;
const MAX_DRAWN_ROWS = 1_500_000;

/** Draws more entities than wanted and chooses the best. */
async function drawChosen(models: EntityModels, count: number, random: RandomStream): Promise<Rows> {
  const { fitted, progress } = models;
  const { key, columns, constants } = fitted.plan;
  const real = { table: fitted.train, starts: startsOf(fitted.train, key) };
  const asked = Math.ceil(SURPLUS * count);
  if (real.starts.length <= MIN_REAL || asked * fitted.meanLength > MAX_DRAWN_ROWS)
    return drawEntities(models, count, random);
  const drawn = await drawEntities(models, asked, random);
  const names = [...columns.map(({ name }) => name), ...constants].filter(
    (name) => real.table.columns.get(name)?.kind !== 'text',
  );
  const chosen = await chooseEntities({
    real,
    made: drawn,
    names,
    count,
    broken: drawn.broken,
    random: random.child('choice'),
    yieldToEventLoop: progress.yieldToEventLoop,
  });
  await progress.onProgress({ stage: 'generate', fact: 'entities_chosen', entities: count, total: asked });
  const table = takeEntities(drawn.table, drawn.starts, chosen);
  const broken = Uint8Array.from(chosen, (entity) => drawn.broken[entity]!);
  return { table, starts: startsOf(table, key), broken };
}

interface Rows {
  table: ModelTable;
  starts: Int32Array;
  broken: Uint8Array;
}

async function drawEntities(models: EntityModels, count: number, random: RandomStream): Promise<Rows> {
  const { fitted, progress, notes } = models;
  const entities = await generateTable({
    plan: fitted.plan.ofEntities,
    models: fitted.ofEntities,
    rows: count,
    random: random.child('entities'),
    progress,
    seedColumns: fitted.seedColumns,
    notes,
  });
  return rowsOf(models, entities, random);
}

export async function rowsOf(
  { plan, fitted, progress }: Omit<EntityModels, 'notes'>,
  entities: ModelTable,
  random: RandomStream,
): Promise<Rows> {
  const { plan: sequences, rows: model, besideRows } = fitted;
  const constants = withoutKey(entities, sequences.key);
  const drawn = await drawSequences({ plan, sequences, model, progress }, constants, random.child('sequences'));
  const { starts, broken } = drawn;
  const constant = takeRows(entities, entitiesOf(starts)).columns;
  const made = new Map<string, ModelColumn>([...drawn.table.columns, ...constant]);
  const planned = plannedByName(plan);
  const hooks = { onProgress: progress.onProgress, yieldToEventLoop: progress.yieldToEventLoop };
  for (const model of besideRows) {
    if (isOfTarget(model)) continue;
    const { role, fitted: own } = model;
    const soFar = { rows: drawn.table.rows, columns: made };
    const task = { rows: soFar.rows, made: soFar, random: random.child(role), ...hooks };
    const present = role === 'identifier' ? { present: rowsWithKeys(sequences.ofRows.columns, soFar) } : {};
    placeColumns(await own.sample({ ...task, ...present }), planned, made);
  }
  deriveColumns(planned, made);
  return { table: { rows: drawn.table.rows, columns: made }, starts, broken };
}

export function sequenceNotes({ plan, rows }: FittedSequences): string[] {
  const { key, within, constants } = plan;
  const held = within.map(withinWords);
  return [
    `Rows of one ${quoted(key)} were made as a sequence, each given those before it; ${counted(constants.length, 'column')} once for all rows of an entity.`,
    ...(held.length > 0 ? [`In every entity, as in the file: ${held.join('; ')}.`] : []),
    ...rows.notes,
  ];
}

function noteBroken(broken: Uint8Array, notes: string[]): void {
  const entities = broken.reduce((sum, one) => sum + one, 0);
  if (entities > 0) notes.push(brokenNote(entities));
}

const brokenNote = (entities: number): string =>
  `${counted(entities, 'entity', 'entities')} of the table still ${entities === 1 ? 'breaks' : 'break'} a relation between their rows that holds in the file: no other rows could be drawn.`;
