/** Draws rows of all roles except text and identifiers, and redraws rows that break relations or conditions. */
import { JobError } from '../../../contract/errors.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { ascendingRows } from '../../../numerics/rows.ts';
import type { FittedModel, ModelColumn, ModelTable, OnProgress, SampleTask } from '../../models/model.ts';
import { type Batch, cellTest, rowsMeeting, type SeedColumns } from '../../plan/conditions.ts';
import type { Order } from '../../plan/orders.ts';
import type { Plan } from '../../plan/plan.ts';
import { concatRows } from '../../table/concatRows.ts';
import { takeRows } from '../../table/takeRows.ts';
import {
  deriveColumns,
  finished,
  type MadeColumns,
  type PlannedColumns,
  placeColumns,
  remakeFrom,
  repairOrders,
} from '../placeColumns.ts';
import { breakablesOf, nameOfOrder, withExceptions } from './exceptions.ts';
import { type FittedRole, isOfTarget } from './fitRows.ts';

export interface DrawTask {
  plan: Plan;
  planned: PlannedColumns;
  models: readonly FittedRole[];
  seedColumns: SeedColumns | null;
  onProgress: OnProgress;
  /** Replaces `onProgress` when redrawing. */
  yieldToEventLoop: () => Promise<void>;
}

export interface DrawnRows {
  table: ModelTable;
  drawn: number;
  broken: number;
  repaired: boolean;
  /** Rows that still break a relation. */
  left: number;
}

/** Limits on redrawing; MAX_DRAWN_A_ROW adds to MAX_DRAWN per wanted row. */
const MAX_ROUNDS = 60;
const MAX_ASKED = 100_000;
const MAX_DRAWN = 1_000_000;
const MAX_DRAWN_A_ROW = 50;
/** Repair rows instead once fewer than MIN_KEPT are valid, or after MENDED_FROM rounds. */
const MIN_KEPT = 0.1;
const MENDED_FROM = 30;
/** From this round, accept rows that cannot be repaired. */
const TAKEN_FROM = 50;

/** Minimum share of valid rows that represents the table. */
const MIN_WHOLE = 0.8;

type Mending = 'none' | 'mend' | 'take';

/** Draws `rows` rows. Throws JobError `invalid_data` if too few meet the conditions. */
export async function drawRows(
  task: DrawTask,
  batch: Batch | null,
  rows: number,
  random: RandomStream,
): Promise<DrawnRows> {
  const kept: ModelTable[] = [];
  const out = { have: 0, drawn: 0, broken: 0, unmet: 0, repaired: false };
  const mostAsked = Math.max(MAX_ASKED, rows);
  const mostDrawn = MAX_DRAWN + MAX_DRAWN_A_ROW * rows;
  for (let round = 0; out.have < rows && round < MAX_ROUNDS && out.drawn < mostDrawn; round++) {
    const repair = round > 0 && (out.drawn - out.broken < MIN_KEPT * out.drawn || round >= MENDED_FROM);
    const asked = round === 0 ? rows : Math.min(mostAsked, rowsToAsk(rows - out.have, repair, out));
    const mending = !repair ? 'none' : round < TAKEN_FROM ? 'mend' : 'take';
    const stream = round === 0 ? random : random.child(`again ${round}`);
    const heard = round === 0 ? task : { ...task, onProgress: task.yieldToEventLoop };
    const isWhole = batch === null && round === 0;
    const { table, broken, unmet } = await drawOnce(heard, batch, asked, stream, { mending, isWhole });
    out.drawn += asked;
    out.broken += broken;
    out.unmet += unmet;
    out.repaired ||= repair;
    if (table.rows === 0) continue;
    const used = Math.min(table.rows, rows - out.have);
    kept.push(used === table.rows ? table : takeRows(table, ascendingRows(used)));
    out.have += used;
  }
  if (out.have < rows) throw tooFew(batch, rows, out);
  const whole = concatRows(kept);
  const left = rowsInOrder(task.plan, whole).reduce((sum, one) => sum + 1 - one, 0);
  const table = breakSome(task, batch, whole, random.child('exceptions'));
  const { drawn, broken, repaired } = out;
  return { table, drawn, broken, repaired, left };
}

function breakSome(
  { plan, planned }: DrawTask,
  batch: Batch | null,
  table: ModelTable,
  random: RandomStream,
): ModelTable {
  const isSound = (made: ModelTable, relation: string): Uint8Array => {
    const others = plan.orders.filter((order) => nameOfOrder(order) !== relation);
    const orders = others.map((order) => ({ ...order, exceptions: null }));
    const inOrder = rowsInOrder({ orders, columns: plan.columns }, made);
    return rowsWithin(batch, made).map((within, row) => within & inOrder[row]!);
  };
  const written = (column: ModelColumn, made: ModelTable): ModelColumn => finished(column, planned, made.columns);
  const remake = (made: MadeColumns, name: string): void => remakeFrom(name, planned, made);
  return withExceptions(table, breakablesOf(plan), { written, remake, isSound }, random);
}

/** Estimates from the yield so far. Repair saves all rows that meet the conditions. */
function rowsToAsk(left: number, repair: boolean, so: { have: number; drawn: number; unmet: number }): number {
  const given = repair ? so.drawn - so.unmet : so.have;
  return Math.ceil((1.1 * left * so.drawn) / Math.max(given, 0.5)) + 16;
}

const tooFew = (batch: Batch | null, rows: number, { have, drawn }: { have: number; drawn: number }): JobError =>
  new JobError(
    { reason: 'conditions_hardly_drawn', conditions: batch?.words || null, rows, made: have, draws: drawn },
    { field: 'conditions' },
  );

/** Drops invalid rows after each model, to save later models work. */
async function drawOnce(
  task: DrawTask,
  batch: Batch | null,
  rows: number,
  random: RandomStream,
  { mending, isWhole }: { mending: Mending; isWhole: boolean },
): Promise<{ table: ModelTable; broken: number; unmet: number }> {
  const { plan, planned, models, seedColumns } = task;
  const start = seedColumns && batch ? seedColumns.draw(batch, rows, random.child('starts')) : [];
  let made = new Map<string, ModelColumn>(start);
  let table: ModelTable = { rows, columns: made };
  let broken = 0;
  let unmet = 0;
  for (const model of models) {
    const { role } = model;
    const whole = isWhole && table.rows >= MIN_WHOLE * rows ? { representative: true as const } : {};
    const sampling = { rows: table.rows, made: table, random: random.child(role), ...whole };
    await placeModelled(task, model, batch, sampling, made);
    if (mending !== 'none') repairOrders(plan.orders, planned, made, random.child(`repair ${role}`));
    if (mending === 'take') keepReleased(plan, made);
    deriveColumns(planned, made);
    const { good, ...bad } = sift(plan, batch, table, mending === 'take');
    broken += bad.broken;
    unmet += bad.unmet;
    if (good.length < table.rows) {
      made = new Map(takeRows(table, good).columns);
      table = { rows: good.length, columns: made };
    }
    if (table.rows === 0) break;
  }
  return { table, broken, unmet };
}

async function placeModelled(
  { plan, planned, onProgress, yieldToEventLoop }: DrawTask,
  model: FittedRole,
  batch: Batch | null,
  sampling: Pick<SampleTask, 'rows' | 'made' | 'random' | 'representative'>,
  made: Map<string, ModelColumn>,
): Promise<void> {
  const isTarget = isOfTarget(model);
  // The model of a derived target only describes it.
  if (isTarget && !plan.columns.some(({ role, derivation }) => role === 'target' && !derivation)) return;
  const task = { ...sampling, onProgress, yieldToEventLoop };
  placeColumns(await model.fitted.sample(task), planned, made);
  if (isTarget && batch)
    await redrawTarget(model.fitted, batch, { ...task, onProgress: yieldToEventLoop }, planned, made);
}

function sift(plan: Plan, batch: Batch | null, table: ModelTable, takesBroken: boolean) {
  const inOrder = rowsInOrder(plan, table);
  const within = rowsWithin(batch, table);
  const good: number[] = [];
  let [broken, unmet] = [0, 0];
  for (let row = 0; row < table.rows; row++) {
    if (within[row] === 0) unmet++;
    else if (inOrder[row] === 0) broken++;
    if (within[row] === 1 && (takesBroken || inOrder[row] === 1)) good.push(row);
  }
  return { good: Int32Array.from(good), broken, unmet };
}

/** Flags rows that keep all orders and released ranges (1 or 0, n). */
export function rowsInOrder({ orders, columns }: Pick<Plan, 'orders' | 'columns'>, table: ModelTable): Uint8Array {
  const kept = new Uint8Array(table.rows).fill(1);
  for (const order of orders) for (const row of rowsBreaking(order, table)) kept[row] = 0;
  for (const { name, released } of columns) {
    const values = released ? numbersOf(table, name) : undefined;
    if (!values || !released) continue;
    for (let row = 0; row < table.rows; row++) {
      if (values[row]! < released.min || values[row]! > released.max) kept[row] = 0;
    }
  }
  return kept;
}

/** Models may break an order with exceptions MAX_TIMES as often as real rows, plus MORE rows. */
const MAX_TIMES = 3;
const MORE = 5;

function rowsBreaking({ of, column, strict, exceptions }: Order, table: ModelTable): number[] {
  const [low, high] = [numbersOf(table, of), numbersOf(table, column)];
  const broken: number[] = [];
  if (!low || !high) return broken;
  for (let row = 0; row < table.rows; row++) {
    if (low[row]! > high[row]! || (strict && low[row]! === high[row]!)) broken.push(row);
  }
  const real = exceptions ? exceptions.share * table.rows : 0;
  return exceptions && broken.length <= MAX_TIMES * real + MORE ? broken.slice(Math.round(real)) : broken;
}

function keepReleased({ columns }: Plan, made: MadeColumns): void {
  for (const { name, difference, released } of columns) {
    const column = made.get(name);
    if (!difference || !released || column?.kind !== 'numeric') continue;
    const { min, max } = released;
    made.set(name, { ...column, values: column.values.map((value) => Math.min(max, Math.max(min, value))) });
  }
}

const rowsWithin = (batch: Batch | null, table: ModelTable): Uint8Array =>
  batch ? rowsMeeting(batch.allowed, table) : new Uint8Array(table.rows).fill(1);

function numbersOf(table: ModelTable, name: string): Float64Array | undefined {
  const column = table.columns.get(name);
  return column?.kind === 'numeric' ? column.values : undefined;
}

// X is drawn given the condition, and y given X without it. Redrawing y until the condition is met samples p(X | met)
// p(y | X, met).

/** Maximum draws per row. */
const MAX_DRAWS = 20;

async function redrawTarget(
  fitted: FittedModel,
  { allowed }: Batch,
  { made: table, random, onProgress }: SampleTask,
  planned: PlannedColumns,
  made: MadeColumns,
): Promise<void> {
  const target = [...planned.values()].find(({ role, derivation }) => role === 'target' && !derivation);
  const condition = target && allowed.get(target.name);
  if (!condition) return;
  for (let draw = 1; draw <= MAX_DRAWS; draw++) {
    const column = made.get(target.name)!;
    const isAllowed = cellTest(condition, column);
    const rows: number[] = [];
    for (let row = 0; row < table.rows; row++) if (!isAllowed(row)) rows.push(row);
    if (rows.length === 0) return;
    const some = takeRows(table, Int32Array.from(rows));
    const again = new Map(some.columns);
    const columns = await fitted.sample({
      rows: rows.length,
      made: some,
      random: random.child(`draw ${draw}`),
      onProgress,
    });
    placeColumns(columns, planned, again);
    made.set(target.name, withCells(column, rows, again.get(target.name)!));
  }
}

function withCells(column: ModelColumn, rows: readonly number[], from: ModelColumn): ModelColumn {
  if (column.kind === 'numeric' && from.kind === 'numeric') {
    const values = column.values.slice();
    for (const [i, row] of rows.entries()) values[row] = from.values[i]!;
    return { ...column, values };
  }
  if (column.kind !== 'category' || from.kind !== 'category') throw new RangeError('a target of another kind');
  const codes = column.codes.slice();
  for (const [i, row] of rows.entries()) codes[row] = from.codes[i]!;
  return { ...column, codes };
}
