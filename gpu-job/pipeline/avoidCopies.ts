/**
 * Rows that equal a real one, where hardly any two real rows are equal: chance makes some, and whoever finds one would take
 * it for a real person's. They are drawn anew. Where real rows are often equal, so may these be; and where many rows made
 * equal real ones, there are few rows to be had: an equal one tells of no one, and without them the rest would be another table.
 */
import { counted, withCommas } from '../../domain/table/wording.ts';
import { measuredColumns } from '../metrics/columns.ts';
import { numberRows } from '../metrics/duplicateRate.ts';
import type { ModelTable } from '../models/model.ts';
import { copyBreach, countRows } from './breaches.ts';
import { measureRolesOf } from './plan.ts';
import { type RedrawTask, redrawRows } from './redrawRows.ts';

/** Share of rows made from which on equal ones stay. */
const MOST_COPIES = 0.05;

/** @param real all real rows, those too that no model saw. Text does not count. */
export async function avoidCopies(
  task: RedrawTask,
  real: ModelTable,
  table: ModelTable,
): Promise<{ table: ModelTable; notes: string[] }> {
  const columns = { ...measuredColumns(measureRolesOf(task.plan), real), text: [] };
  const breach = copyBreach(real, columns);
  const copies = countRows(breach(table));
  const least = shareWithTwins(numberRows(real, columns)) * table.rows;
  if (copies <= least || copies > MOST_COPIES * table.rows) return { table, notes: [] };
  const out = await redrawRows(task, table, breach);
  const left = countRows(breach(out.table));
  await task.progress.report(`Drew ${counted(out.redrawn, 'row')} anew that equalled a real row`);
  return { table: out.table, notes: [noteOf(copies, left)] };
}

/** Share of rows that equal another one, by the number of each row's group. */
function shareWithTwins(groupOf: Int32Array): number {
  const sizes = new Map<number, number>();
  for (const group of groupOf) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  return groupOf.filter((group) => sizes.get(group)! > 1).length / groupOf.length;
}

const noteOf = (copies: number, left: number): string =>
  `${counted(copies, 'row')} drawn equalled a real row, more than real rows equal each other: ${
    left === 0 ? 'drawn anew.' : `drawn anew, and ${withCommas(left)} do still, for want of other rows.`
  }`;
