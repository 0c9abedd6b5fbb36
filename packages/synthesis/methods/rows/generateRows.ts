/** Generates rows role by role, with missing cells and formats as in the upload. */

import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { counted, withCommas } from '../../../words/wording.ts';
import { rowsWithKeys } from '../../disclosure/keys.ts';
import { isTurn, type ModelColumn, type ModelTable } from '../../models/model.ts';
import type { SeedColumns } from '../../plan/conditions.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Progress } from '../../progress.ts';
import { concatRows } from '../../table/concatRows.ts';
import { takeRows } from '../../table/takeRows.ts';
import { deriveColumns, placeColumns, plannedByName } from '../placeColumns.ts';
import { type DrawnRows, type DrawTask, drawRows } from './drawRows.ts';
import type { FittedRole } from './fitRows.ts';

export interface GenerateTask {
  plan: Plan;
  models: readonly FittedRole[];
  rows: number;
  random: RandomStream;
  progress: Progress;
  seedColumns?: SeedColumns | null;
  /** Takes sentences about the rows. */
  notes?: string[];
}

/** Includes indicators of missing cells. Throws JobError `invalid_data` if too few rows meet their conditions. */
export async function generateTable(task: GenerateTask): Promise<ModelTable> {
  const { plan, models, rows, random, progress, seedColumns = null, notes = [] } = task;
  const { onProgress, yieldToEventLoop } = progress;
  const planned = plannedByName(plan);
  const isRow = ({ role }: FittedRole): boolean => role !== 'text' && role !== 'identifier';
  const draw = { plan, planned, models: models.filter(isRow), seedColumns, onProgress, yieldToEventLoop };
  const table = await drawBatches(draw, rows, random, notes);
  const made = new Map<string, ModelColumn>(table.columns);
  const whole = plan.batches.length === 0 ? { representative: true as const } : {};
  for (const { role, fitted } of models.filter((model) => !isRow(model))) {
    const soFar = { rows, columns: made };
    const sampling = {
      rows,
      made: soFar,
      random: random.child(role),
      ...whole,
      ...(role === 'identifier' && { present: rowsWithKeys(planned.values(), soFar) }),
      onProgress,
      yieldToEventLoop,
    };
    placeColumns(await fitted.sample(sampling), planned, made);
  }
  deriveColumns(planned, made);
  return { rows, columns: made };
}

async function drawBatches(task: DrawTask, rows: number, random: RandomStream, notes: string[]): Promise<ModelTable> {
  const { batches } = task.plan;
  if (batches.length === 0) {
    const drawn = await drawRows(task, null, rows, random);
    notes.push(...notesOf([drawn]));
    return drawn.table;
  }
  const parts: DrawnRows[] = [];
  for (const [at, batch] of batches.entries()) {
    const quiet = { ...task, onProgress: task.yieldToEventLoop };
    parts.push(await drawRows(quiet, batch, batch.rows, random.child(`batch ${at}`)));
    if (isTurn(at, batches.length)) {
      await task.onProgress({ stage: 'generate', fact: 'conditions_drawn', done: at + 1, total: batches.length });
    } else await task.yieldToEventLoop();
  }
  notes.push(...(task.seedColumns?.notes ?? []), ...notesOf(parts));
  const table = concatRows(parts.map((part) => part.table));
  return batches.length === 1 ? table : takeRows(table, shuffledRows(table.rows, random.child('order')));
}

function notesOf(parts: readonly DrawnRows[]): string[] {
  const broken = parts.reduce((sum, part) => sum + part.broken, 0);
  const drawn = parts.reduce((sum, part) => sum + part.drawn, 0);
  if (broken === 0) return [];
  const how = parts.some(({ repaired }) => repaired)
    ? 'Few draws keep to both, so in some rows the two numbers were swapped, or the larger one was moved by a difference found in other rows.'
    : 'They were redrawn.';
  const left = parts.reduce((sum, part) => sum + part.left, 0);
  const kept = left > 0 ? [`${counted(left, 'row')} of the table still ${left === 1 ? 'breaks' : 'break'} it.`] : [];
  return [
    `${withCommas(broken)} of ${counted(drawn, 'drawn row')} broke a relation between numbers that holds in the file, or had a number beyond those that are released. ${[how, ...kept].join(' ')}`,
  ];
}
