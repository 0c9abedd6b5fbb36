/**
 * Share of synthetic rows that equal a real row in numeric and category columns. Rows shared by COMMON_ROWS real rows
 * identify nobody. Held-out rows show chance, but one copy of a unique row counts if its chance is negligible.
 */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { CopiedRow, PrivacyMetrics } from '../../../contract/metrics.ts';
import { tally } from '../../../numerics/tally.ts';
import { COMMON_ROWS } from '../../disclosure/thresholds.ts';
import type { ModelTable } from '../../models/model.ts';
import type { MeasuredColumns } from '../columns.ts';
import { findCopiesIn, groupRows, onlyOnce, sharedByFewer } from '../duplicateRate.ts';
import type { Measure } from '../measure.ts';
import { addCounts, type Count, shareFigure } from '../measured.ts';
import { widthOf } from '../nearestNeighbours.ts';
import { NO_COLUMN, type Parts } from '../parts.ts';
import { chanceCopies, NEGLIGIBLE } from './chanceCopies.ts';

/** Maximum copies listed for the owner. */
const LISTED = 100;

/** Maximum copies whose chance is computed. */
const WEIGHED = 1_000;

/** Error rate of copies alone, if all real rows differ. */
const LEVEL = 0.005;

type Found = Pick<PrivacyMetrics, 'exact_copies' | 'unique_copies' | 'sure_copies' | 'copied_rows'>;

/** Held-out rows may come from folds. */
export const copies: Measure<Found> = ({ measured }) => {
  const columns: MeasuredColumns = { ...measured.columns, text: [] };
  if (widthOf(columns) === 0) {
    const none = { hits: 0, of: 0 };
    const empty = shareFigure({ synthetic: none, holdout: null, independent: none, swapped: none, reason: NO_COLUMN });
    return { exact_copies: empty, unique_copies: empty, sure_copies: 0, copied_rows: [] };
  }
  const listed = copiedRows(measured, columns);
  const sure = listed.filter(({ by_chance }) => by_chance < NEGLIGIBLE).length;
  const unique = copyFigure(measured, columns, (table) => onlyOnce(table, columns));
  const isCopied = sure > 0 || isBeyondTwins(measured, columns, listed.length);
  return {
    exact_copies: copyFigure(measured, columns, (table) => sharedByFewer(COMMON_ROWS, table, columns)),
    unique_copies: isCopied ? { ...unique, verdict: 'worse' } : unique,
    sure_copies: sure,
    copied_rows: listed.slice(0, LISTED),
  };
};

/** Reports copies of all real rows, but judges only training rows. */
function copyFigure(
  { parts, released, real }: Parts,
  columns: MeasuredColumns,
  among: (real: ModelTable) => ModelTable,
): MeasuredFigure {
  const { train, synthetic, independent, swapped } = released;
  const count = (queried: readonly ModelTable[], looked: ModelTable): Count[] =>
    findCopiesIn(queried, looked, columns).map((areCopies) => ({
      hits: areCopies.reduce((sum, isCopy) => sum + isCopy, 0),
      of: areCopies.length,
    }));
  const [own, ofIndependent, ofSwapped] = count([synthetic, independent, swapped], among(train));
  const held = parts.flatMap((part) => (part.holdout ? count([part.holdout], among(part.train)) : []));
  const figure = shareFigure({
    synthetic: own!,
    holdout: held.length > 0 ? addCounts(held) : null,
    independent: ofIndependent!,
    swapped: ofSwapped!,
    reason: NO_COLUMN,
  });
  if (real === train) return figure;
  const [all] = count([synthetic], among(real));
  const { value, low, high } = shareFigure({
    synthetic: all!,
    holdout: null,
    independent: ofIndependent!,
    swapped: ofSwapped!,
    reason: NO_COLUMN,
  });
  return { ...figure, value, low, high };
}

/** Least likely first. */
function copiedRows({ released: { synthetic }, real }: Parts, columns: MeasuredColumns): CopiedRow[] {
  const { queriedGroups, realGroup } = groupRows([synthetic], real, columns);
  const groups = queriedGroups[0]!;
  const sizes = tally(realGroup);
  const copied = [...groups.keys()].filter((row) => groups[row]! >= 0 && sizes.get(groups[row]!)! < COMMON_ROWS);
  const sought = new Set(copied.map((row) => groups[row]!));
  const realRows = new Map<number, number[]>();
  for (const [row, group] of realGroup.entries()) {
    if (sought.has(group)) realRows.set(group, [...(realRows.get(group) ?? []), row]);
  }
  const expected = chanceCopies(real, columns);
  const found = copied.slice(0, WEIGHED).map((row) => {
    const same = realRows.get(groups[row]!)!;
    const chance = same.length === 1 ? expected(same[0]!, synthetic.rows) : 1;
    return { row: row + 1, real_rows: same.map((at) => at + 1), by_chance: chance };
  });
  return found.sort((a, b) => a.by_chance - b.by_chance || a.row - b.row);
}

/** If real and held-out rows all differ, each copy was as likely to be one of those. */
function isBeyondTwins({ released, real }: Parts, columns: MeasuredColumns, found: number): boolean {
  const { train, synthetic, holdout } = released;
  if (onlyOnce(real, columns).rows < real.rows) return false;
  const isApart = holdout !== null && real.rows === train.rows;
  if (isApart && findCopiesIn([holdout], real, columns)[0]!.includes(1)) return false;
  const lookedUp = real.rows + (isApart ? holdout.rows : 0);
  return (synthetic.rows / (synthetic.rows + lookedUp)) ** found < LEVEL;
}
