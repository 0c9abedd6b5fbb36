/** plan: which column plays which part, and the table as the models see it. */
import { detectFamily } from '../../domain/detect/detectFamily.ts';
import type { ColumnProfile, Profile } from '../../domain/profile/profile.ts';
import type { Family } from '../../domain/schema/families.ts';
import type { GenerateRequest } from '../../domain/schema/generateRequest.ts';
import type { CellTable } from '../../domain/table/table.ts';
import type { MeasureRoles } from '../metrics/columns.ts';
import type { FitSettings, ModelTable } from '../models/model.ts';
import type { ModelledRole } from '../models/registry.ts';
import { countMissing, toModelTable } from './modelTable.ts';

export interface PlannedColumn {
  name: string;
  role: ModelledRole;
  profile: ColumnProfile;
  /**
   * Name of the category column that says where this one is missing; null where no cell is or all are, and for
   * categories, whose missing cells are a level.
   */
  indicator: string | null;
}

export interface Plan {
  /** In the upload's order; ignored ones are left out. */
  columns: readonly PlannedColumn[];
  settings: FitSettings;
}

/** Throws JobError invalid_data where a column cannot be modelled in its role. `notes` are for the metrics. */
export function makePlan(
  profile: Profile,
  cells: CellTable,
  request: GenerateRequest,
): { plan: Plan; table: ModelTable; notes: string[] } {
  const notes: string[] = [];
  const roles = rolesByName(request);
  const chosen = profile.columns.flatMap((column) => {
    const role = roles.get(column.name);
    return role ? [{ name: column.name, role, profile: column }] : [];
  });
  const table = toModelTable(cells, chosen, notes);
  const taken = new Set(profile.columns.map(({ name }) => name));
  const columns = chosen.map((column) => ({
    ...column,
    indicator: indicatorOf(table, column.name, column.role, taken),
  }));
  const { draws, tune, text_epochs: textEpochs } = request;
  return { plan: { columns, settings: { draws, tune, textEpochs, family: familyOf(profile, request) } }, table, notes };
}

function rolesByName(request: GenerateRequest): Map<string, ModelledRole> {
  const roles = new Map<string, ModelledRole>();
  for (const name of request.continuous_cols) roles.set(name, 'continuous');
  for (const name of request.categorical_cols) roles.set(name, 'categorical');
  for (const name of request.text_cols) roles.set(name, 'text');
  if (request.target_col !== null) roles.set(request.target_col, 'target');
  return roles;
}

/** Family `auto` stands for what POST /detect_family says. */
function familyOf(profile: Profile, request: GenerateRequest): Family | null {
  if (request.target_col === null) return null;
  if (request.family !== 'auto') return request.family;
  const target = profile.columns.find(({ name }) => name === request.target_col);
  return target ? detectFamily(profile, target).family : null;
}

/** A name that no column has, where some cells of this one are missing and some are not. */
function indicatorOf(table: ModelTable, name: string, role: ModelledRole, taken: Set<string>): string | null {
  const missing = role === 'categorical' ? 0 : countMissing(table, name);
  if (missing === 0 || missing === table.rows) return null;
  let indicator = `${name} is missing`;
  while (taken.has(indicator)) indicator += "'";
  taken.add(indicator);
  return indicator;
}

export const namesOf = (plan: Plan, ...roles: ModelledRole[]): string[] =>
  plan.columns.filter(({ role }) => roles.includes(role)).map(({ name }) => name);

export const measureRolesOf = (plan: Plan): MeasureRoles => ({
  target: namesOf(plan, 'target')[0] ?? null,
  continuous: namesOf(plan, 'continuous'),
  categorical: namesOf(plan, 'categorical'),
  text: namesOf(plan, 'text'),
});

/** The plan without its columns of text, for figures that do not read them. */
export const withoutText = (plan: Plan): Plan => ({
  ...plan,
  columns: plan.columns.filter(({ role }) => role !== 'text'),
});
