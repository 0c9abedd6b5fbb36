/** Which column a client may want to model first: a suggestion for the table as a whole. */
import type { ColumnProfile, SuggestedTarget } from '../../contract/columns.ts';

/** Names that people give to what they want to predict. */
const TARGET_NAMES = /^(target|label|outcome|response|y|price|score|rating|revenue|sales|amount|salary|income)$/i;

/** Largest share of a target's cells that may be missing. */
const MAX_MISSING = 0.2;

/**
 * Suggests one target: among the continuous columns with few missing cells, the first that is named like a target, else
 * the last. Columns keep their other suggestions; where no column qualifies, none is a target.
 */
export function suggestRoles(
  columns: readonly ColumnProfile[],
  rows: number,
): { columns: ColumnProfile[]; target: SuggestedTarget | null } {
  const candidates = columns.filter(
    ({ kind, suggested_role, missing, distinct }) =>
      kind === 'continuous' && suggested_role === 'continuous' && missing <= MAX_MISSING * rows && distinct > 1,
  );
  const named = candidates.find(({ name }) => TARGET_NAMES.test(name));
  const target = named ?? candidates.at(-1);
  const reason = named ? 'named like what people predict' : 'the last number of the table';
  return {
    columns: columns.map((column) => (column === target ? { ...column, suggested_role: 'target' as const } : column)),
    target: target ? { column: target.name, reason } : null,
  };
}
