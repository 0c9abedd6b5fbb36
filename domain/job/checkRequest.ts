import { ServiceError } from '../errors.ts';
import type { Profile } from '../profile/profile.ts';
import type { GenerateRequest } from '../schema/generateRequest.ts';
import { checkConditions } from './checkConditions.ts';
import { checkFamily } from './checkFamily.ts';
import { findColumn, requireCells, requireNumeric, requireTarget } from './requestedColumns.ts';

interface NamedColumn {
  field: 'target_col' | 'continuous_cols' | 'categorical_cols' | 'text_cols';
  name: string;
}

/**
 * Checks a request against what the upload holds. Throws, in this order: `missing_target`, `column_not_found`, and
 * `invalid_parameter` for a column named twice, an empty column, one that has to be numeric and is not, a family that cannot
 * hold the target, or conditions that no row can meet. Numbers may be in dress ("$1,204.50"). A time may be a continuous
 * column, not a target; an identifier may stand in any list, since it is made anew.
 */
export function checkRequest(request: GenerateRequest, profile: Profile): void {
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

function namedColumns(request: GenerateRequest): NamedColumn[] {
  const target = request.target_col === null ? [] : [request.target_col];
  return [
    ...target.map((name) => ({ field: 'target_col' as const, name })),
    ...request.continuous_cols.map((name) => ({ field: 'continuous_cols' as const, name })),
    ...request.categorical_cols.map((name) => ({ field: 'categorical_cols' as const, name })),
    ...request.text_cols.map((name) => ({ field: 'text_cols' as const, name })),
  ];
}

function refuseTwice(named: NamedColumn[]): void {
  const first = new Map<string, string>();
  for (const { field, name } of named) {
    const earlier = first.get(name);
    if (earlier !== undefined) {
      const where = earlier === field ? `twice in ${field}` : `in ${earlier} and in ${field}`;
      throw new ServiceError(
        'invalid_parameter',
        `Column ${JSON.stringify(name)} stands ${where}. Give each column one role, once.`,
      );
    }
    first.set(name, field);
  }
}

const missingTarget = (): ServiceError =>
  new ServiceError(
    'missing_target',
    'The request names neither target_col nor text_cols. Give a numeric column as target_col, or text columns as text_cols for text alone.',
  );
