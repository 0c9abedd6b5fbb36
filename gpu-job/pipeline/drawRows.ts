/** Rows of all roles but text and identifiers: drawn role by role, and drawn anew where they break what has to hold. */
import { JobError } from '../../domain/errors.ts';
import { counted } from '../../domain/table/wording.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { takeRows } from '../metrics/columns.ts';
import type { ModelColumn, ModelTable, Report } from '../models/model.ts';
import { concatRows } from './concatRows.ts';
import type { Batch } from './conditions.ts';
import type { FittedRole } from './fit.ts';
import { rowsInOrder, rowsWithin } from './judgeRows.ts';
import { deriveColumns, type PlannedColumns, placeColumns } from './placeColumns.ts';
import type { Plan } from './plan.ts';
import { redrawTarget } from './redrawTarget.ts';
import { repairOrders } from './repairOrders.ts';
import type { Starts } from './starts.ts';

export interface DrawTask {
  plan: Plan;
  planned: PlannedColumns;
  /** Of the roles whose rows are drawn here, in order. */
  models: readonly FittedRole[];
  starts: Starts | null;
  report: Report;
  /** In place of `report` where rows are drawn anew. */
  breathe: () => Promise<void>;
}

export interface DrawnRows {
  table: ModelTable;
  /** Rows that were drawn in all, and those of them that broke a relation. */
  drawn: number;
  broken: number;
  /** Rows in which a relation was mended instead of drawn anew. */
  repaired: boolean;
  /** Rows of the table in which a relation is broken. */
  left: number;
}

/** Rounds, rows drawn in one round beyond those wanted, and rows drawn in all, at most: these and so many a row wanted. */
const MOST_ROUNDS = 60;
const MOST_ASKED = 100_000;
const MOST_DRAWN = 1_000_000;
const MOST_DRAWN_A_ROW = 50;
/** Share of rows without a broken relation below which, and rounds from which on, rows are mended instead. */
const LEAST_KEPT = 0.1;
const MENDED_FROM = 30;
/** From this round on rows are taken that cannot be mended. */
const TAKEN_FROM = 50;

/** Share of rows drawn that keep to all relations, from which on they stand for the table. */
const LEAST_WHOLE = 0.8;

type Mending = 'none' | 'mend' | 'take';

/** `rows` rows of a batch (null: without conditions). Throws JobError invalid_data where too few of them meet its conditions. */
export async function drawRows(
  task: DrawTask,
  batch: Batch | null,
  rows: number,
  random: RandomStream,
): Promise<DrawnRows> {
  const kept: ModelTable[] = [];
  const out = { have: 0, drawn: 0, broken: 0, unmet: 0, repaired: false };
  const mostAsked = Math.max(MOST_ASKED, rows);
  const mostDrawn = MOST_DRAWN + MOST_DRAWN_A_ROW * rows;
  for (let round = 0; out.have < rows && round < MOST_ROUNDS && out.drawn < mostDrawn; round++) {
    const repair = round > 0 && (out.drawn - out.broken < LEAST_KEPT * out.drawn || round >= MENDED_FROM);
    const asked = round === 0 ? rows : Math.min(mostAsked, rowsToAsk(rows - out.have, repair, out));
    const mending = !repair ? 'none' : round < TAKEN_FROM ? 'mend' : 'take';
    const stream = round === 0 ? random : random.child(`again ${round}`);
    const heard = round === 0 ? task : { ...task, report: task.breathe };
    const isWhole = batch === null && round === 0;
    const { table, broken, unmet } = await drawOnce(heard, batch, asked, stream, { mending, isWhole });
    out.drawn += asked;
    out.broken += broken;
    out.unmet += unmet;
    out.repaired ||= repair;
    if (table.rows === 0) continue;
    const used = Math.min(table.rows, rows - out.have);
    kept.push(
      used === table.rows
        ? table
        : takeRows(
            table,
            Int32Array.from({ length: used }, (_, row) => row),
          ),
    );
    out.have += used;
  }
  if (out.have < rows) throw tooFew(batch, rows, out);
  const table = concatRows(kept);
  const { drawn, broken, repaired } = out;
  const left = rowsInOrder(task.plan, table).reduce((sum, one) => sum + 1 - one, 0);
  return { table, drawn, broken, repaired, left };
}

/** As many as give `left` rows, by what the rows drawn so far have given: mended, all give one that meet the conditions. */
function rowsToAsk(left: number, repair: boolean, so: { have: number; drawn: number; unmet: number }): number {
  const given = repair ? so.drawn - so.unmet : so.have;
  return Math.ceil((1.1 * left * so.drawn) / Math.max(given, 0.5)) + 16;
}

const tooFew = (batch: Batch | null, rows: number, { have, drawn }: { have: number; drawn: number }): JobError =>
  new JobError(
    'invalid_data',
    `conditions: of ${counted(rows, 'row')} with ${batch?.words ?? 'what was asked'}, ${have} could be made in ${counted(drawn, 'draw')}: the models hardly ever make one. Ask for ${have > 0 ? `${have} rows or fewer` : 'no such row'}, widen the condition, or leave it out.`,
  );

/** Draws rows once, and drops those that break something as soon as it is known, so that no later model works for nothing. */
async function drawOnce(
  { plan, planned, models, starts, report, breathe }: DrawTask,
  batch: Batch | null,
  rows: number,
  random: RandomStream,
  { mending, isWhole }: { mending: Mending; isWhole: boolean },
): Promise<{ table: ModelTable; broken: number; unmet: number }> {
  const start = starts && batch ? starts.draw(batch, rows, random.child('starts')) : [];
  let made = new Map<string, ModelColumn>(start);
  let table: ModelTable = { rows, columns: made };
  let broken = 0;
  let unmet = 0;
  for (const { role, fitted } of models) {
    const own = random.child(role);
    const whole = isWhole && table.rows >= LEAST_WHOLE * rows ? { representative: true as const } : {};
    const task = { rows: table.rows, made: table, random: own, ...whole, report, breathe };
    // A target that is made from others has a model that only describes it.
    if (role !== 'target' || plan.columns.some((column) => column.role === role && !column.derivation)) {
      placeColumns(await fitted.sample(task), planned, made);
      if (role === 'target' && batch) await redrawTarget(fitted, batch, { ...task, report: breathe }, planned, made);
    }
    if (mending !== 'none') repairOrders(plan.orders, planned, made, random.child(`repair ${role}`));
    deriveColumns(planned, made);
    const inOrder = rowsInOrder(plan, table);
    const within = rowsWithin(batch, table);
    const good: number[] = [];
    for (let row = 0; row < table.rows; row++) {
      if (within[row] === 0) unmet++;
      else if (inOrder[row] === 0) broken++;
      if (within[row] === 1 && (mending === 'take' || inOrder[row] === 1)) good.push(row);
    }
    if (good.length < table.rows) {
      table = takeRows(table, Int32Array.from(good));
      made = new Map(table.columns);
      table = { rows: table.rows, columns: made };
    }
    if (table.rows === 0) break;
  }
  return { table, broken, unmet };
}
