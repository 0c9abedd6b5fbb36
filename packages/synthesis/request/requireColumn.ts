import type { ColumnProfile } from '../../contract/columns.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { isNumeric } from '../../tables/detect/kinds.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { hasLabels, requireLabels } from '../family/labelTarget.ts';

const MAX_NAMES_LISTED = 200;

const presentCells = (profile: Profile, column: ColumnProfile): number => profile.rows - column.missing;

/** Throws `column_not_found` with the available columns. */
export function findColumn(profile: Profile, name: string, field: string): ColumnProfile {
  const column = profile.columns.find((candidate) => candidate.name === name);
  if (column) return column;
  throw new ServiceError({ reason: 'column_unknown', column: name.slice(0, 200), ...namesOf(profile) }, { field });
}

/** Throws `invalid_parameter` for too few numbers or unreadable times. */
export function requireNumeric(profile: Profile, column: ColumnProfile, field: string): void {
  requireCells(profile, column, field);
  if (isNumeric(column.numbers, presentCells(profile, column))) return;
  if (column.kind === 'datetime') throw timeOfManyForms(column, field);
  throw new ServiceError(
    {
      reason: 'column_not_numeric',
      column: column.name,
      numbers: column.numbers?.count ?? 0,
      cells: presentCells(profile, column),
    },
    { field },
  );
}

/** Throws `invalid_parameter` for keys, times, and columns without numbers or few labels. */
export function requireTarget(
  profile: Profile,
  column: ColumnProfile,
  asked: Pick<TableRequest, 'family' | 'keep_rare'> = { family: 'auto', keep_rare: false },
): void {
  requireCells(profile, column, 'target_col');
  if (column.kind === 'identifier') {
    throw new ServiceError({ reason: 'target_is_key', column: column.name }, { field: 'target_col' });
  }
  if (column.kind === 'datetime' || column.format?.kind === 'time') {
    throw new ServiceError({ reason: 'target_is_time', column: column.name }, { field: 'target_col' });
  }
  if (asked.family === 'categorical' || hasLabels(column, profile.rows)) requireLabels(column, asked);
  else requireNumeric(profile, column, 'target_col');
}

/** Throws `invalid_parameter` if the column cannot order rows. */
export function requireOrder(profile: Profile, column: ColumnProfile): void {
  requireCells(profile, column, 'order_col');
  const cells = presentCells(profile, column);
  if (column.format?.kind === 'time' || isNumeric(column.numbers, cells)) return;
  const params = { column: column.name, numbers: column.numbers?.count ?? 0, cells };
  throw new ServiceError({ reason: 'order_is_not_numeric', ...params }, { field: 'order_col' });
}

const timeOfManyForms = ({ name }: ColumnProfile, field: string): ServiceError =>
  new ServiceError({ reason: 'column_of_mixed_times', column: name }, { field });

/** Throws `invalid_parameter` for an empty column. */
export function requireCells(profile: Profile, column: ColumnProfile, field: string): void {
  if (presentCells(profile, column) > 0) return;
  throw new ServiceError({ reason: 'column_empty', column: column.name, rows: profile.rows }, { field });
}

function namesOf({ columns }: Profile): { available: string[]; more: number } {
  const names = columns.map(({ name }) => name);
  return { available: names.slice(0, MAX_NAMES_LISTED), more: Math.max(0, names.length - MAX_NAMES_LISTED) };
}
