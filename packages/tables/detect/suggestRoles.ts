import type { ColumnProfile, Relation, SuggestedTarget } from '../../contract/columns.ts';
import type { SampledCells } from '../keys/agreement.ts';
import { findCodes } from './findCodes.ts';
import { sampleFeatures } from './sampleFeatures.ts';
import { suggestTarget } from './suggestTarget.ts';

interface Suggestion {
  columns: ColumnProfile[];
  target: SuggestedTarget | null;
}

/**
 * Suggests codes and the target. Column kinds stay the same, so roles keep their effect.
 * @param cells Row sample by column.
 */
export function suggestRoles(
  columns: readonly ColumnProfile[],
  rows: number,
  cells: SampledCells,
  relations: readonly Relation[],
): Suggestion {
  const features = sampleFeatures(columns, cells);
  const codes = findCodes(features, relations);
  const judged = columns.map((column) => (codes.has(column.name) ? asCodes(column) : column));
  const target = suggestTarget(judged, rows, features, relations);
  return {
    columns: judged.map((column) =>
      column.name === target?.column ? { ...column, suggested_role: 'target' as const } : column,
    ),
    target,
  };
}

const asCodes = (column: ColumnProfile): ColumnProfile => ({
  ...column,
  suggested_role: 'categorical',
  evidence: [
    `${column.distinct} whole numbers that look like codes: their order says nothing about the other columns, so they are best used as categories`,
    ...column.evidence,
  ],
});
