import { type NamedColumn, namedColumns } from '../../contract/columns.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { holdingRelative, supportName, supportViolationOf, targetFacts } from '../family/familySupport.ts';
import { checkConditions, findColumn, requireCells, requireNumeric, requireTarget } from './checkConditions.ts';

/**
 * Checks a request against what the upload holds. Throws, in this order: `missing_target`, `column_not_found`, and
 * `invalid_parameter` for a column named twice, an empty column, one that has to be numeric and is not, a family that cannot
 * hold the target, or conditions that no row can meet. Numbers may be in format ("$1,204.50"). A time may be a continuous
 * column, not a target; an identifier may be in any list, since new ones are generated.
 */
export function checkRequest(request: TableRequest, profile: Profile): void {
  if (request.target_col === null && request.text_cols.length === 0) throw missingTarget();
  const named = namedColumns(request);
  for (const { field, name } of named) findColumn(profile, name, field);
  refuseTwice(named);
  for (const { field, name } of named) {
    const column = findColumn(profile, name, field);
    if (field === 'target_col') requireTarget(profile, column);
    else if (field === 'continuous_cols' && column.kind !== 'identifier') requireNumeric(profile, column, field);
    else requireCells(profile, column, field);
  }
  checkFamily(request, profile);
  checkConditions(request, profile);
}

function refuseTwice(named: NamedColumn[]): void {
  const first = new Map<string, string>();
  for (const { field, name } of named) {
    const earlier = first.get(name);
    if (earlier !== undefined) {
      throw new ServiceError({ reason: 'column_given_twice', column: name, first: earlier, second: field }, { field });
    }
    first.set(name, field);
  }
}

const missingTarget = (): ServiceError => new ServiceError({ reason: 'no_roles_given' });

/**
 * Throws `invalid_parameter` where the request names a family that cannot hold a number of its target, with the number
 * and its row: from what the profile knows of all rows. `auto` chooses among those that can.
 */
export function checkFamily({ family, target_col }: TableRequest, profile: Profile): void {
  if (family === 'auto' || target_col === null) return;
  const facts = targetFacts(findColumn(profile, target_col, 'target_col'));
  const supportViolation = facts && supportViolationOf(family, facts);
  if (!supportViolation) return;
  throw new ServiceError(
    {
      reason: 'family_cannot_hold',
      column: target_col,
      family,
      support: supportName(family),
      ...supportViolation,
      values: facts.count,
      instead: holdingRelative(family, facts),
    },
    { field: 'family' },
  );
}
