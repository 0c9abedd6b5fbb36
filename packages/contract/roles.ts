/** Roles of all columns, from what the service suggests and what somebody decided otherwise. */
import type { Role } from './columns.ts';

/** The part of an upload's answer from which roles follow. */
interface Suggested {
  profile: { columns: readonly { name: string; suggested_role: Role }[] };
}

/** The fields of POST /generate that give columns their roles. */
export interface RoleFields {
  target_col: string | null;
  /** Where there is neither a target nor a text: then a service makes a table of the others only where it is told so. */
  target?: 'none';
  continuous_cols: string[];
  categorical_cols: string[];
  text_cols: string[];
}

/** Every column in its suggested role. Only one can be the target: with another one chosen, a suggested one is continuous. */
export function suggestedRoles(upload: Suggested, target?: string | null): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { name, suggested_role } of upload.profile.columns) {
    const other = suggested_role === 'target' && target !== undefined && target !== name;
    roles.set(name, name === target ? 'target' : other ? 'continuous' : suggested_role);
  }
  return roles;
}

/** The roles without that of the column by which rows belong together, which has none beside that. */
export const rolesBeside = (roles: ReadonlyMap<string, Role>, entity: string | null): Map<string, Role> =>
  new Map([...roles].filter(([name]) => name !== entity));

/** The fields of POST /generate for these roles, columns in the order of the map. `roles`: a role for each column by its name. */
export function roleFields(roles: ReadonlyMap<string, Role>): RoleFields {
  const inRole = (wanted: Role) => [...roles].filter(([, role]) => role === wanted).map(([name]) => name);
  const [target_col = null] = inRole('target');
  const text_cols = inRole('text');
  return {
    target_col,
    ...(target_col === null && text_cols.length === 0 && { target: 'none' as const }),
    continuous_cols: inRole('continuous'),
    categorical_cols: inRole('categorical'),
    text_cols,
  };
}
