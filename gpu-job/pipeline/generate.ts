/** generate: synthetic rows, role by role, with missing cells and number formats as the upload had them. */
import { counted, withCommas } from '../../domain/table/wording.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { takeRows } from '../metrics/columns.ts';
import type { ModelColumn, ModelTable, Report } from '../models/model.ts';
import { isTurn } from '../models/shared/chunks.ts';
import { concatRows } from './concatRows.ts';
import { type DrawnRows, type DrawTask, drawRows } from './drawRows.ts';
import type { FittedRole } from './fit.ts';
import { deriveColumns, placeColumns, plannedByName } from './placeColumns.ts';
import type { Plan } from './plan.ts';
import type { Starts } from './starts.ts';

/** What conditions need, a list that takes what is to be said in the metrics, and what stops a job without a word. */
export interface Aside {
  starts?: Starts | null;
  notes?: string[];
  breathe?: () => Promise<void>;
}

/**
 * A table of the plan's columns, and of the indicators that say where and how their cells are missing. Rows under
 * conditions stand in random order among the others. Throws JobError invalid_data where too few rows meet them.
 */
export async function generateTable(
  plan: Plan,
  models: readonly FittedRole[],
  rows: number,
  random: RandomStream,
  report: Report,
  { starts = null, notes = [], breathe = silence }: Aside = {},
): Promise<ModelTable> {
  const planned = plannedByName(plan);
  const isRow = ({ role }: FittedRole): boolean => role !== 'text' && role !== 'identifier';
  const draw = { plan, planned, models: models.filter(isRow), starts, report, breathe };
  const table = await drawBatches(draw, rows, random, notes);
  const made = new Map<string, ModelColumn>(table.columns);
  const whole = plan.batches.length === 0 ? { representative: true as const } : {};
  for (const { role, fitted } of models.filter((model) => !isRow(model))) {
    const task = { rows, made: { rows, columns: made }, random: random.child(role), ...whole, report, breathe };
    placeColumns(await fitted.sample(task), planned, made);
  }
  deriveColumns(planned, made);
  return { rows, columns: made };
}

const silence = async (): Promise<void> => {};

async function drawBatches(task: DrawTask, rows: number, random: RandomStream, notes: string[]): Promise<ModelTable> {
  const { batches } = task.plan;
  if (batches.length === 0) {
    const drawn = await drawRows(task, null, rows, random);
    notes.push(...notesOf([drawn]));
    return drawn.table;
  }
  const parts: DrawnRows[] = [];
  for (const [at, batch] of batches.entries()) {
    const quiet = { ...task, report: task.breathe };
    parts.push(await drawRows(quiet, batch, batch.rows, random.child(`batch ${at}`)));
    const made = `Conditions: ${at + 1} of ${counted(batches.length, 'batch', 'batches')} of rows made`;
    await (isTurn(at, batches.length) ? task.report(made) : task.breathe());
  }
  notes.push(...(task.starts?.notes ?? []), ...notesOf(parts));
  const table = concatRows(parts.map((part) => part.table));
  return batches.length === 1 ? table : shuffled(table, random.child('order'));
}

function notesOf(parts: readonly DrawnRows[]): string[] {
  const broken = parts.reduce((sum, part) => sum + part.broken, 0);
  const drawn = parts.reduce((sum, part) => sum + part.drawn, 0);
  if (broken === 0) return [];
  const how = parts.some(({ repaired }) => repaired)
    ? 'Few draws keep to it, so that in some rows the two numbers changed places, or the greater was moved by a distance that other rows have.'
    : 'They were drawn anew.';
  const left = parts.reduce((sum, part) => sum + part.left, 0);
  const kept = left > 0 ? [`${counted(left, 'row')} of the table could not be made to keep to it.`] : [];
  return [
    `${withCommas(broken)} of ${counted(drawn, 'row')} drawn broke a relation between numbers that holds in every row of the file. ${[how, ...kept].join(' ')}`,
  ];
}

function shuffled(table: ModelTable, random: RandomStream): ModelTable {
  const order = Int32Array.from({ length: table.rows }, (_, row) => row);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return takeRows(table, order);
}
