import { isNumeric } from '../detect/isNumeric.ts';
import { ServiceError } from '../errors.ts';
import type { ColumnProfile, Profile } from '../profile/profile.ts';

const MAX_NAMES_LISTED = 200;

export const presentCells = (profile: Profile, column: ColumnProfile): number => profile.rows - column.missing;

/** The named column. Throws `column_not_found`, listing the columns that there are. */
export function findColumn(profile: Profile, name: string, field: string): ColumnProfile {
  const column = profile.columns.find((candidate) => candidate.name === name);
  if (column) return column;
  throw new ServiceError(
    'column_not_found',
    `${field} names ${JSON.stringify(name.slice(0, 200))}, which is not a column of the uploaded file. Available columns: ${listNames(profile)}.`,
  );
}

/** Throws `invalid_parameter` where the column has no cells, or too few that are numbers, or times to be read as such. */
export function requireNumeric(profile: Profile, column: ColumnProfile, field: string): void {
  requireCells(profile, column, field);
  if (isNumeric(column.numbers, presentCells(profile, column))) return;
  if (column.kind === 'datetime') throw timeOfManyForms(column, field);
  throw new ServiceError(
    'invalid_parameter',
    `${field}: column ${JSON.stringify(column.name)} is not numeric: ${column.numbers?.count ?? 0} of its ${presentCells(profile, column)} cells that are not missing are numbers. Name a numeric column, or give this one as categorical or text.`,
  );
}

/** Throws `invalid_parameter` where the column is no target: dates or times, or not numeric. */
export function requireTarget(profile: Profile, column: ColumnProfile): void {
  requireCells(profile, column, 'target_col');
  if (column.kind === 'datetime' || column.dress?.kind === 'time') {
    throw new ServiceError(
      'invalid_parameter',
      `target_col: column ${JSON.stringify(column.name)} holds dates or times, and a target has to be a number. Name a numeric column as target_col; give this one in continuous_cols to model it as time, or in categorical_cols.`,
    );
  }
  requireNumeric(profile, column, 'target_col');
}

const timeOfManyForms = ({ name }: ColumnProfile, field: string): ServiceError =>
  new ServiceError(
    'invalid_parameter',
    `${field}: column ${JSON.stringify(name)} holds dates or times, but not all in one form that can be read as a number. Write them in one form, such as 2024-03-20, or give the column in categorical_cols.`,
  );

/** Throws `invalid_parameter` where every cell of the column is missing. */
export function requireCells(profile: Profile, column: ColumnProfile, field: string): void {
  if (presentCells(profile, column) > 0) return;
  throw new ServiceError(
    'invalid_parameter',
    `${field}: column ${JSON.stringify(column.name)} is empty: all of its ${profile.rows} cells are missing. Leave it out of the request.`,
  );
}

function listNames(profile: Profile): string {
  const names = profile.columns.map((column) => column.name);
  const more = names.length - MAX_NAMES_LISTED;
  const listed = names.slice(0, MAX_NAMES_LISTED).join(', ');
  return more > 0 ? `${listed} and ${more} more` : listed;
}
