/** Draws one row of all entities at a time, and redraws rows that break relations. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { CategoryColumn, ModelColumn, ModelTable, NumericColumn } from '../../models/model.ts';
import type { FittedSequence, SequenceRun } from '../../models/sequence/sequenceModel.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Progress } from '../../progress.ts';
import { rowsOfEntities } from '../../table/entityRows.ts';
import { takeRows } from '../../table/takeRows.ts';
import { deriveColumns, type PlannedColumns, placeColumns, plannedByName } from '../placeColumns.ts';
import { rowsInOrder } from '../rows/drawRows.ts';
import { brokenEntities } from './brokenEntities.ts';
import type { SequencePlan } from './sequencePlan.ts';
import { checksOf, type Made, type StepCheck } from './stepChecks.ts';

export interface SequenceDraw {
  plan: Plan;
  sequences: SequencePlan;
  model: FittedSequence;
  progress: Progress;
}

export interface DrawnSequences {
  table: ModelTable;
  starts: Int32Array;
  /** Flags entities that still break a relation. */
  broken: Uint8Array;
}

/** Maximum draws of a row, and of an entity. */
const ROW_ROUNDS = 12;
const ENTITY_ROUNDS = 6;

/** @param constants one row per entity. */
export async function drawSequences(
  task: SequenceDraw,
  constants: ModelTable,
  random: RandomStream,
): Promise<DrawnSequences> {
  const lengths = task.model.lengths(constants, random.child('lengths'));
  let drawn = await drawAll(task, constants, lengths, random.child('rows'), { isReported: true });
  let broken = brokenIn(task, drawn);
  for (let round = 1; round < ENTITY_ROUNDS && broken.length > 0; round++) {
    const some = takeRows(constants, broken);
    const own = broken.map((entity) => lengths[entity]!);
    const again = await drawAll(task, some, own, random.child(`again ${round}`), { isReported: false });
    drawn = replaceEntities(drawn, broken, again);
    broken = brokenIn(task, drawn);
  }
  const flags = new Uint8Array(lengths.length);
  for (const entity of broken) flags[entity] = 1;
  return { ...drawn, broken: flags };
}

type Drawn = Pick<DrawnSequences, 'table' | 'starts'>;

function brokenIn({ sequences, plan }: SequenceDraw, { table, starts }: Drawn): Int32Array {
  const flags = brokenEntities({ table, starts }, sequences.within);
  const inOrder = rowsInOrder({ orders: sequences.ofRows.orders, columns: plan.columns }, table);
  for (let entity = 0; entity < flags.length; entity++) {
    for (let row = starts[entity]!; row < starts[entity + 1]!; row++) if (inOrder[row] === 0) flags[entity] = 1;
  }
  return Int32Array.from(flags.keys()).filter((entity) => flags[entity] === 1);
}

function replaceEntities(drawn: Drawn, entities: Int32Array, by: Drawn): Drawn {
  const rows = rowsOfEntities(drawn.starts, entities);
  const columns = new Map<string, ModelColumn>();
  for (const [name, column] of drawn.table.columns) {
    const other = by.table.columns.get(name)!;
    if (column.kind === 'numeric' && other.kind === 'numeric') {
      const values = column.values.slice();
      rows.forEach((row, i) => {
        values[row] = other.values[i]!;
      });
      columns.set(name, { ...column, values });
    } else if (column.kind === 'category' && other.kind === 'category') {
      const codes = column.codes.slice();
      rows.forEach((row, i) => {
        codes[row] = other.codes[i]!;
      });
      columns.set(name, { ...column, codes });
    }
  }
  return { ...drawn, table: { rows: drawn.table.rows, columns } };
}

async function drawAll(
  task: SequenceDraw,
  constants: ModelTable,
  lengths: Int32Array,
  random: RandomStream,
  { isReported }: { isReported: boolean },
): Promise<Drawn> {
  const { plan, model, sequences, progress } = task;
  const run = model.begin(constants, lengths);
  const starts = startsAt(lengths);
  const rows = starts.at(-1)!;
  const out = new Map<string, NumericColumn | CategoryColumn>();
  const checks = checksOf(sequences.within, random.child('repeats'));
  const step: StepTask = { planned: plannedByName(plan), plan: sequences.ofRows, constants, run, checks };
  let active = Int32Array.from(lengths.keys());
  let done = 0;
  for (let place = 0; active.length > 0; place++) {
    const made = drawStep(step, active, random.child(`row ${place}`));
    run.accept(active, made);
    for (const check of checks) check.accept(active, made);
    for (const name of namesIn(model, made)) write(out, made.get(name)!, active, starts, place, rows);
    const before = done;
    done += active.length;
    active = active.filter((entity) => lengths[entity]! > place + 1);
    const isTurn = active.length === 0 || Math.floor((10 * done) / rows) > Math.floor((10 * before) / rows);
    if (isReported && isTurn) {
      await progress.onProgress({ stage: 'generate', fact: 'sequence_rows_drawn', done, total: rows });
    } else await progress.yieldToEventLoop();
  }
  return { table: { rows, columns: new Map<string, ModelColumn>(out) }, starts };
}

function startsAt(lengths: Int32Array): Int32Array {
  const starts = new Int32Array(lengths.length + 1);
  lengths.forEach((length, entity) => {
    starts[entity + 1] = starts[entity]! + length;
  });
  return starts;
}

interface StepTask {
  planned: PlannedColumns;
  plan: Plan;
  constants: ModelTable;
  run: SequenceRun;
  checks: readonly StepCheck[];
}

function drawStep(task: StepTask, entities: Int32Array, random: RandomStream): Made {
  let made = drawOnce(task, entities, random);
  let bad = badRows(task, made, entities);
  for (let round = 1; round < ROW_ROUNDS && bad.length > 0; round++) {
    const some = bad.map((row) => entities[row]!);
    made = replaced(made, bad, drawOnce(task, some, random.child(`again ${round}`)));
    bad = badRows(task, made, entities);
  }
  return made;
}

function drawOnce({ planned, constants, run }: StepTask, entities: Int32Array, random: RandomStream): Made {
  const made: Made = new Map(takeRows(constants, entities).columns);
  placeColumns(run.draw(entities, random), planned, made);
  deriveColumns(planned, made);
  return made;
}

function badRows({ plan, checks }: StepTask, made: Made, entities: Int32Array): Int32Array {
  const inOrder = rowsInOrder(plan, { rows: entities.length, columns: made });
  for (const check of checks) check.mark(entities, made, inOrder);
  return Int32Array.from(inOrder.keys()).filter((row) => inOrder[row] === 0);
}

function replaced(made: Made, rows: Int32Array, by: Made): Made {
  const out: Made = new Map(made);
  for (const [name, column] of made) {
    const other = by.get(name);
    if (column.kind === 'numeric' && other?.kind === 'numeric') {
      rows.forEach((row, i) => {
        column.values[row] = other.values[i]!;
      });
    } else if (column.kind === 'category' && other?.kind === 'category') {
      rows.forEach((row, i) => {
        column.codes[row] = other.codes[i]!;
      });
    }
  }
  return out;
}

const namesIn = (model: FittedSequence, made: Made): string[] => {
  const drawn = new Set(model.names);
  return [...made.keys()].filter((name) => drawn.has(name) || made.get(name)!.kind !== 'text');
};

function write(
  out: Map<string, NumericColumn | CategoryColumn>,
  column: ModelColumn,
  entities: Int32Array,
  starts: Int32Array,
  place: number,
  rows: number,
): void {
  if (column.kind === 'text') return;
  let own = out.get(column.name);
  if (!own) {
    own =
      column.kind === 'numeric'
        ? { ...column, values: new Float64Array(rows) }
        : { ...column, codes: new Int32Array(rows) };
    out.set(column.name, own);
  }
  if (own.kind === 'numeric' && column.kind === 'numeric') {
    for (let i = 0; i < entities.length; i++) own.values[starts[entities[i]!]! + place] = column.values[i]!;
  } else if (own.kind === 'category' && column.kind === 'category') {
    for (let i = 0; i < entities.length; i++) own.codes[starts[entities[i]!]! + place] = column.codes[i]!;
  }
}
