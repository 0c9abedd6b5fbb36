/** Holds out rows that models must not see. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { splitRows } from '../../judge/parts.ts';
import type { ModelTable } from '../../models/model.ts';
import { countMissing } from '../../table/modelTable.ts';
import type { Split } from '../../table/split.ts';

/** Smaller tables are cross-fitted. */
const MIN_ROWS_TO_HOLD_OUT = 500;
const HELD_OUT_SHARE = 0.1;
const MIN_TARGETS = 50;

/** Both parts keep the table's order. */
export function holdOut(table: ModelTable, target: string | null, random: RandomStream): Split {
  if (table.rows < MIN_ROWS_TO_HOLD_OUT || targetsOf(table, target) < MIN_TARGETS) {
    return { train: table, holdout: null };
  }
  return splitRows(table, Math.round(table.rows * HELD_OUT_SHARE), random);
}

/** Counts rows with a target. */
export const targetsOf = (table: ModelTable, target: string | null): number =>
  target === null ? table.rows : table.rows - countMissing(table, target);
