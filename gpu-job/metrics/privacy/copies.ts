/**
 * Exact copies: the share of rows that equal a training row in every numeric and category column, texts left out; and of
 * those that equal one that stands there once, which is somebody's. Held-out rows have some too, where rows are short.
 */
import type { PrivacyMetrics } from '../../../domain/schema/privacyMetrics.ts';
import type { ModelTable } from '../../models/model.ts';
import { type MeasuredColumns, takeRows } from '../columns.ts';
import { findCopies, numberRows } from '../duplicateRate.ts';
import type { Parts } from '../parts.ts';
import { NO_COLUMN } from './privateParts.ts';
import { addCounts, type Count, shareFigure } from './shareFigure.ts';

/** Of the table that is handed out; held-out rows may be those of folds. */
export function copiesFigures({
  parts,
  released,
  columns,
}: Parts): Pick<PrivacyMetrics, 'exact_copies' | 'unique_copies'> {
  const own = { ...columns, text: [] };
  if (own.numeric.length + own.categorical.length === 0) {
    const none = { hits: 0, of: 0 };
    const empty = shareFigure({ synthetic: none, holdout: null, independent: none, swapped: none, reason: NO_COLUMN });
    return { exact_copies: empty, unique_copies: empty };
  }
  const figure = (of: (train: ModelTable) => ModelTable) => {
    const count = (asked: ModelTable, train: ModelTable) => countCopies(asked, of(train), own);
    const held = parts.flatMap(({ holdout, train }) => (holdout ? [count(holdout, train)] : []));
    return shareFigure({
      synthetic: count(released.synthetic, released.train),
      holdout: held.length > 0 ? addCounts(held) : null,
      independent: count(released.independent, released.train),
      swapped: count(released.swapped, released.train),
      reason: NO_COLUMN,
    });
  };
  const singles = new Map<ModelTable, ModelTable>();
  const uniqueRows = (train: ModelTable): ModelTable => {
    const known = singles.get(train) ?? onlyOnce(train, own);
    singles.set(train, known);
    return known;
  };
  return { exact_copies: figure((train) => train), unique_copies: figure(uniqueRows) };
}

function countCopies(asked: ModelTable, real: ModelTable, columns: MeasuredColumns): Count {
  let hits = 0;
  for (const isCopy of findCopies(asked, real, columns)) hits += isCopy;
  return { hits, of: asked.rows };
}

/** The rows that stand in a table once. */
function onlyOnce(table: ModelTable, columns: MeasuredColumns): ModelTable {
  const groups = numberRows(table, columns);
  const counts = new Map<number, number>();
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  const rows = Int32Array.from({ length: table.rows }, (_, row) => row);
  return takeRows(
    table,
    rows.filter((row) => counts.get(groups[row]!) === 1),
  );
}
