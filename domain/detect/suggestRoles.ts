/** Which column a client may want to model first: a suggestion for the table as a whole. */
import type { ColumnProfile } from '../profile/profile.ts';

/** Names that people give to what they want to predict. */
const TARGET_NAMES = /^(target|label|outcome|response|y|price|score|rating|revenue|sales|amount|salary|income)$/i;

/** Of a target's cells, at most this share may be missing. */
const MOST_MISSING = 0.2;

/**
 * Suggests one target: among the continuous columns with few missing cells, the first that is named like a target, else
 * the last. Columns keep their other suggestions; where no column qualifies, none is a target.
 */
export function suggestRoles(columns: readonly ColumnProfile[], rows: number): ColumnProfile[] {
  const candidates = columns.filter(
    ({ suggested_role, missing, distinct }) =>
      suggested_role === 'continuous' && missing <= MOST_MISSING * rows && distinct > 1,
  );
  const target = candidates.find(({ name }) => TARGET_NAMES.test(name)) ?? candidates.at(-1);
  return columns.map((column) => (column === target ? { ...column, suggested_role: 'target' as const } : column));
}
