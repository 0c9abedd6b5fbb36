/** Seed columns: drawn before the models, as whole rows of the real table hold them, so that conditions are met. */
import { JobError } from '../../contract/errors.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { counted, quoted } from '../../words/wording.ts';
import { levelCounts, levelsOf } from '../models/categorical/columnOrder.ts';
import { drawThreshold, releasable } from '../models/categorical/features.ts';
import type { CategoryColumn, ModelColumn, ModelTable } from '../models/model.ts';
import { type Batch, rowsMeeting } from './conditions.ts';
import type { Plan } from './plan.ts';

export interface SeedColumns {
  /** Rows of the seed columns, drawn with replacement from the real ones that meet the batch's conditions. */
  draw(batch: Batch, rows: number, random: RandomStream): Map<string, ModelColumn>;
  /** Levels that were withheld. */
  notes: readonly string[];
}

/**
 * Fits the seed columns to the rows that models may see. As everywhere, a level of too few rows is not released.
 * Null where there are no conditions. Throws JobError invalid_data where no row is left to draw from.
 */
export function fitSeedColumns(plan: Plan, table: ModelTable, random: RandomStream): SeedColumns | null {
  if (plan.batches.length === 0) return null;
  const columns = plan.seedColumns.map((name) => categoryNamed(table, name));
  const isReleased = new Uint8Array(table.rows).fill(1);
  const notes: string[] = [];
  for (const column of columns) {
    if (plan.settings.keepRare || column.indicator) continue;
    const counts = levelCounts(levelsOf(column), column.levels.length + 1);
    const may = releasable(counts, drawThreshold(random.child(column.name)));
    let withheld = 0;
    column.codes.forEach((code, row) => {
      if (may[code + 1]) return;
      isReleased[row] = 0;
      withheld++;
    });
    const levels = may.filter((one, at) => !one && counts[at]! > 0).length;
    if (withheld > 0) notes.push(withheldNote(levels, column.name, withheld));
  }
  const sources = new Map(plan.batches.map((batch) => [batch, sourceRows(batch, table, isReleased)]));
  return { notes, draw: (batch, rows, stream) => drawn(columns, sources.get(batch)!, rows, stream) };
}

const withheldNote = (levels: number, name: string, rows: number): string =>
  `${counted(levels, 'level')} of column ${quoted(name)}, in ${counted(rows, 'row')}, had too few rows to be released and were replaced by other levels. Set keep_rare to keep them.`;

function sourceRows(batch: Batch, table: ModelTable, isReleased: Uint8Array): Int32Array {
  const met = rowsMeeting(batch.allowed, table);
  const rows: number[] = [];
  met.forEach((one, row) => {
    if (one === 1 && isReleased[row] === 1) rows.push(row);
  });
  if (rows.length > 0) return Int32Array.from(rows);
  throw new JobError({ reason: 'conditions_leave_too_few', conditions: batch.words || null }, { field: 'conditions' });
}

function drawn(
  columns: readonly CategoryColumn[],
  source: Int32Array,
  rows: number,
  random: RandomStream,
): Map<string, ModelColumn> {
  const from = Int32Array.from({ length: rows }, () => source[random.integer(source.length)]!);
  return new Map(columns.map((column) => [column.name, { ...column, codes: from.map((row) => column.codes[row]!) }]));
}

function categoryNamed(table: ModelTable, name: string): CategoryColumn {
  const column = table.columns.get(name);
  if (column?.kind === 'category') return column;
  throw new RangeError(`no categorical column ${JSON.stringify(name)}`);
}
