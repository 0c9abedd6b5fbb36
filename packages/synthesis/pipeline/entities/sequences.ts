/** The pipeline of a table whose rows belong together: split by entities, fit, and draw whole entities. */
import type { TableRequest } from '../../../contract/requests.ts';
import { shuffleFirst } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { counted, quoted } from '../../../words/wording.ts';
import { takeRows } from '../../metrics/columns.ts';
import { type ModelColumn, type ModelTable, type OpenTextResources, textColumn } from '../../models/model.ts';
import { fitSequence } from '../../models/sequence/fitSequence.ts';
import type { FittedSequence } from '../../models/sequence/sequenceModel.ts';
import { concatRows } from '../concatRows.ts';
import { fitSeedColumns, type SeedColumns } from '../conditions.ts';
import { type FittedRole, fitIdentifiers, fitModels } from '../fit.ts';
import { generateTable } from '../generate.ts';
import type { Split } from '../holdOut.ts';
import { rowsWithKeys } from '../keys.ts';
import { deriveColumns, placeColumns, plannedByName } from '../placeColumns.ts';
import type { Plan } from '../plan.ts';
import type { Progress } from '../progress.ts';
import { rowsOfEntities, startsOf, takeEntities } from './arrangeEntities.ts';
import { drawSequences } from './drawSequences.ts';
import { entityTable, type SequencePlan } from './sequencePlan.ts';
import { withinWords } from './withinEntities.ts';

/** Models of what is constant, of the rows, and of what is written beside each row. */
export interface FittedSequences {
  plan: SequencePlan;
  ofEntities: readonly FittedRole[];
  seedColumns: SeedColumns | null;
  rows: FittedSequence;
  /** Texts and keys of rows. */
  besideRows: readonly FittedRole[];
  /** Rows an entity, on average. */
  meanLength: number;
}

/** From this many entities on a tenth of them is kept from the models. */
const MIN_TO_HOLD_OUT = 100;
const HELD_OUT_SHARE = 0.1;

/** Whole entities apart, both parts in the table's order. */
export function holdOutEntities(table: ModelTable, key: string, random: RandomStream): Split {
  const starts = startsOf(table, key);
  const entities = starts.length - 1;
  if (entities < MIN_TO_HOLD_OUT) return { train: table, holdout: null };
  const order = Int32Array.from({ length: entities }, (_, entity) => entity);
  const held = Math.round(entities * HELD_OUT_SHARE);
  shuffleFirst(order, held, random);
  return {
    train: takeEntities(table, starts, order.slice(held).sort()),
    holdout: takeEntities(table, starts, order.slice(0, held).sort()),
  };
}

interface FitTask {
  plan: SequencePlan;
  /** All rows, whose keys may not come out; and those that models see. */
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
    ...(await fitModels(plan.ofEntities, own, constants, progress, openText)),
    ...(await fitIdentifiers(plan.ofEntities, all, constants, progress)),
  ];
  const { keepRare } = plan.ofEntities.settings;
  const { onProgress, yieldToEventLoop } = progress;
  const rows = await fitSequence({
    ...{ table: train, starts, constants: withoutKey(own, plan.key), columns: plan.columns, keepRare },
    ...{ random: random.child('sequences'), onProgress, yieldToEventLoop },
  });
  const besideRows = [
    ...(await fitModels(plan.ofRows, train, random.child('rows'), progress, openText, {
      ...{ roles: ['text'], beside: [...plan.constants, ...plan.columns.map(({ name }) => name)] },
    })),
    ...(await fitIdentifiers(plan.ofRows, table, random.child('rows'), progress)),
  ];
  const seedColumns = seedColumnsOf(plan, train, random);
  return { plan, ofEntities, seedColumns, rows, besideRows, meanLength: train.rows / (starts.length - 1) };
}

/** Of entities; `random` is that of the fit. */
export function seedColumnsOf(plan: SequencePlan, train: ModelTable, random: RandomStream): SeedColumns | null {
  const own = entityTable(train, startsOf(train, plan.key), plan.constants);
  return fitSeedColumns(plan.ofEntities, own, random.child('entities').child('starts'));
}

function withoutKey(table: ModelTable, key: string): ModelTable {
  const columns = new Map(table.columns);
  columns.delete(key);
  return { rows: table.rows, columns };
}

/** How much is wanted: entities, or rows that whole entities do not pass. */
export type Wanted = Pick<TableRequest, 'n_samples' | 'n_entities'>;

/** Entities drawn in one round beyond those that the mean length gives. */
const SPARE = 1.1;
const MORE = 5;
const MAX_ROUNDS = 8;

export async function generateSequences(
  plan: Plan,
  fitted: FittedSequences,
  { n_samples, n_entities }: Wanted,
  random: RandomStream,
  progress: Progress,
  notes: string[] = [],
): Promise<ModelTable> {
  if (n_entities !== null) return (await drawEntities(plan, fitted, n_entities, random, progress, notes)).table;
  const parts: ModelTable[] = [];
  let left = n_samples;
  for (let round = 0; round < MAX_ROUNDS && left > 0; round++) {
    const count = Math.ceil((SPARE * left) / fitted.meanLength) + MORE;
    const stream = round === 0 ? random : random.child(`round ${round}`);
    const { table, starts } = await drawEntities(plan, fitted, count, stream, progress, notes);
    const whole = wholeEntities(starts, left);
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

/** Entities from the first on that have `rows` rows together, or less. */
function wholeEntities(starts: Int32Array, rows: number): number {
  let count = 0;
  while (count + 1 < starts.length && starts[count + 1]! <= rows) count++;
  return count;
}

async function drawEntities(
  plan: Plan,
  fitted: FittedSequences,
  count: number,
  random: RandomStream,
  progress: Progress,
  notes: string[],
): Promise<{ table: ModelTable; starts: Int32Array }> {
  const { plan: sequences, ofEntities, seedColumns } = fitted;
  const options = { seedColumns, notes, yieldToEventLoop: progress.yieldToEventLoop };
  const entities = await generateTable(
    sequences.ofEntities,
    ofEntities,
    count,
    random.child('entities'),
    progress.onProgress,
    options,
  );
  return rowsOf(plan, fitted, entities, random, progress, notes);
}

/** Rows of entities whose keys and constant columns are there. */
async function rowsOf(
  plan: Plan,
  fitted: FittedSequences,
  entities: ModelTable,
  random: RandomStream,
  progress: Progress,
  notes: string[],
): Promise<{ table: ModelTable; starts: Int32Array }> {
  const { plan: sequences, rows: model, besideRows } = fitted;
  const constants = withoutKey(entities, sequences.key);
  const drawn = await drawSequences({ plan, sequences, model, progress }, constants, random.child('sequences'));
  if (drawn.broken > 0) notes.push(brokenNote(drawn.broken));
  const { starts } = drawn;
  const entityOf = Int32Array.from({ length: drawn.table.rows });
  for (let entity = 0; entity + 1 < starts.length; entity++) entityOf.fill(entity, starts[entity], starts[entity + 1]);
  const made = new Map<string, ModelColumn>([...drawn.table.columns, ...takeRows(entities, entityOf).columns]);
  const planned = plannedByName(plan);
  const hooks = { onProgress: progress.onProgress, yieldToEventLoop: progress.yieldToEventLoop };
  for (const { role, fitted: own } of besideRows) {
    const soFar = { rows: drawn.table.rows, columns: made };
    const task = { rows: soFar.rows, made: soFar, random: random.child(role), ...hooks };
    const present = role === 'identifier' ? { present: rowsWithKeys(sequences.ofRows.columns, soFar) } : {};
    placeColumns(await own.sample({ ...task, ...present }), planned, made);
  }
  deriveColumns(planned, made);
  return { table: { rows: drawn.table.rows, columns: made }, starts };
}

/** What was found, and what was withheld. */
export function sequenceNotes({ plan, rows }: FittedSequences): string[] {
  const { key, within, constants } = plan;
  const held = within.map(withinWords);
  return [
    `Rows of one ${quoted(key)} were made as a sequence, each given those before it; ${counted(constants.length, 'column')} once for all rows of an entity.`,
    ...(held.length > 0 ? [`In every entity, as in the file: ${held.join('; ')}.`] : []),
    ...rows.notes,
  ];
}

const brokenNote = (entities: number): string =>
  `${counted(entities, 'entity', 'entities')} of the table still ${entities === 1 ? 'breaks' : 'break'} a relation between their rows that holds in the file: no other rows could be drawn.`;

const ROUNDS = 8;

/** All rows of the entities with a row that breaks a rule are drawn again, for the same keys and constant columns. */
export async function redrawEntities(
  {
    plan,
    sequences,
    random,
    progress,
  }: { plan: Plan; sequences: FittedSequences; random: RandomStream; progress: Progress },
  table: ModelTable,
  breach: (table: ModelTable) => Uint8Array,
): Promise<{ table: ModelTable; redrawn: number }> {
  const { key, constants } = sequences.plan;
  const touched = new Set<string | null>();
  let current = table;
  for (let round = 0; round < ROUNDS; round++) {
    const starts = startsOf(current, key);
    const entities = entitiesWith(breach(current), starts);
    if (entities.length === 0) break;
    await progress.yieldToEventLoop();
    const some = takeRows(entityTable(current, starts, [...constants, key]), Int32Array.from(entities));
    const quiet = { ...progress, onProgress: progress.yieldToEventLoop };
    const by = await rowsOf(plan, sequences, some, random.child(`round ${round}`), quiet, []);
    for (const value of textColumn(some, key).values) touched.add(value);
    current = withEntities(current, key, entities, by.table);
  }
  return { table: current, redrawn: touched.size };
}

function entitiesWith(flags: Uint8Array, starts: Int32Array): number[] {
  const out: number[] = [];
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    if (flags.subarray(starts[entity], starts[entity + 1]).includes(1)) out.push(entity);
  }
  return out;
}

/** The table with all rows of some entities replaced by those of others, which are as many. */
function withEntities(table: ModelTable, key: string, entities: readonly number[], by: ModelTable): ModelTable {
  const starts = startsOf(table, key);
  const others = startsOf(by, key);
  const next = new Map(entities.map((entity, at) => [entity, at]));
  const both = concatRows([table, by]);
  const rows: number[] = [];
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    const at = next.get(entity);
    if (at === undefined) rows.push(...rowsOfEntities(starts, [entity]));
    else rows.push(...rowsOfEntities(others, [at]).map((row) => row + table.rows));
  }
  return takeRows(both, Int32Array.from(rows));
}
