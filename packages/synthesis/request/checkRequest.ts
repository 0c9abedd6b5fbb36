import { type NamedColumn, namedColumns } from '../../contract/columns.ts';
import { ServiceError } from '../../contract/errors.ts';
import { isOfNumbers } from '../../contract/families.ts';
import { MIN_REAL_ROWS } from '../../contract/releasePolicy.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { holdingRelative, supportName, supportViolationOf, targetFacts } from '../family/familySupport.ts';
import { checkConditions } from './checkConditions.ts';
import { checkPrivacy, isPrivate, refuseLoneDomain } from './checkPrivacy.ts';
import { findColumn, requireCells, requireNumeric, requireOrder, requireTarget } from './requireColumn.ts';

/**
 * Checks a request against the profile and returns key columns. Throws, in order: `missing_target`; `column_not_found`;
 * `invalid_parameter` for duplicate, empty or unsuitable columns, families or conditions; `too_few_rows`. Numbers may
 * be formatted ("$1,204.50"). Times and keys cannot be targets; new keys are generated.
 */
export function checkRequest(request: TableRequest, profile: Profile): string[] {
  refuseLoneDomain(request);
  const named = namedColumns(request);
  if (!hasWork(request, named)) throw missingTarget();
  if (!request.calibrate && request.target_col === null)
    throw new ServiceError({ reason: 'calibrate_without_target' }, { field: 'calibrate' });
  for (const { field, name } of named) findColumn(profile, name, field);
  refuseTwice(named);
  if (isPrivate(request)) {
    checkPrivacy(request, profile);
    return [];
  }
  const keys: string[] = checkEntities(request, profile, named);
  for (const { field, name } of named) {
    const column = findColumn(profile, name, field);
    if (column.kind === 'identifier') keys.push(name);
    if (field === 'target_col') requireTarget(profile, column, request);
    else if (field === 'continuous_cols' && column.kind !== 'identifier') requireNumeric(profile, column, field);
    else requireCells(profile, column, field);
  }
  checkFamily(request, profile);
  checkConditions(request, profile);
  refuseFewRows(request, profile);
  return keys;
}

/** A request without target and texts is probably a mistake unless stated. */
const hasWork = ({ target_col, target, text_cols, privacy }: TableRequest, named: readonly NamedColumn[]): boolean =>
  target_col !== null || text_cols.length > 0 || ((target !== null || !!privacy) && named.length > 0);

/** Fills in the suggested target for `target: auto`. */
export function withTarget<R extends TableRequest>(request: R, { columns }: Profile): R {
  if (request.target !== 'auto' || request.target_col !== null || isPrivate(request)) return request;
  const taken = new Set([request.entity_col, ...namedColumns(request).map(({ name }) => name)]);
  const found = columns.find(({ suggested_role, name }) => suggested_role === 'target' && !taken.has(name));
  return found ? { ...request, target_col: found.name } : request;
}

/** Returns the entity column, whose keys are replaced. */
function checkEntities(request: TableRequest, profile: Profile, named: readonly NamedColumn[]): string[] {
  const { entity_col, order_col, n_entities, allow_few_rows } = request;
  if (entity_col === null) {
    const field = order_col !== null ? 'order_col' : 'n_entities';
    if (order_col !== null || n_entities !== null) throw new ServiceError({ reason: 'entity_col_missing' }, { field });
    return [];
  }
  const column = findColumn(profile, entity_col, 'entity_col');
  const twice = named.find(({ name }) => name === entity_col)?.field ?? (order_col === entity_col ? 'order_col' : null);
  if (order_col !== null && order_col === request.target_col) {
    const params = { column: order_col, first: 'order_col', second: 'target_col' };
    throw new ServiceError({ reason: 'column_given_twice', ...params }, { field: 'order_col' });
  }
  if (twice !== null) {
    const params = { column: entity_col, first: 'entity_col', second: twice };
    throw new ServiceError({ reason: 'column_given_twice', ...params }, { field: 'entity_col' });
  }
  requireCells(profile, column, 'entity_col');
  if (order_col !== null) requireOrder(profile, findColumn(profile, order_col, 'order_col'));
  if (column.distinct === 1)
    throw new ServiceError({ reason: 'entity_alone', column: entity_col }, { field: 'entity_col' });
  if (!allow_few_rows && column.distinct < MIN_REAL_ROWS) {
    const params = { column: entity_col, entities: column.distinct, min: MIN_REAL_ROWS };
    throw new ServiceError({ reason: 'too_few_entities', ...params }, { field: 'allow_few_rows' });
  }
  return [entity_col];
}

function refuseFewRows({ allow_few_rows }: TableRequest, { rows }: Profile): void {
  if (allow_few_rows || rows >= MIN_REAL_ROWS) return;
  throw new ServiceError({ reason: 'too_few_rows', rows, min: MIN_REAL_ROWS }, { field: 'allow_few_rows' });
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

/** Throws `invalid_parameter` with the number that the family cannot hold. */
export function checkFamily({ family, target_col }: TableRequest, profile: Profile): void {
  if (family === 'auto' || !isOfNumbers(family) || target_col === null) return;
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
