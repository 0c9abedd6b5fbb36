/** Which rows the models may see. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { splitRows } from '../../judge/parts.ts';
import type { ModelTable } from '../../models/model.ts';
import { countMissing } from '../../table/modelTable.ts';
import type { Split } from '../../table/split.ts';

/** From this many rows on a tenth is kept from the models; below, metrics are cross-fitted. */
const MIN_ROWS_TO_HOLD_OUT = 500;
const HELD_OUT_SHARE = 0.1;
/** Targets that each side of a split must be able to have. */
const MIN_TARGETS = 50;

/** A random tenth apart, both parts in the table's order. */
export function holdOut(table: ModelTable, target: string | null, random: RandomStream): Split {
  if (table.rows < MIN_ROWS_TO_HOLD_OUT || targetsOf(table, target) < MIN_TARGETS) {
    return { train: table, holdout: null };
  }
  return splitRows(table, Math.round(table.rows * HELD_OUT_SHARE), random);
}

/** Rows with a target; all of them where there is none to have. */
export const targetsOf = (table: ModelTable, target: string | null): number =>
  target === null ? table.rows : table.rows - countMissing(table, target);
