import type { Role } from './columns.ts';

interface Suggested {
  profile: { columns: readonly { name: string; suggested_role: Role }[] };
}

/** Role fields of POST /generate. */
export interface RoleFields {
  target_col: string | null;
  /** Confirms that there is neither a target nor text. */
  target?: 'none';
  continuous_cols: string[];
  categorical_cols: string[];
  text_cols: string[];
}

/** Only one column can be the target; another suggested one becomes continuous. */
export function suggestedRoles(upload: Suggested, target?: string | null): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { name, suggested_role } of upload.profile.columns) {
    const other = suggested_role === 'target' && target !== undefined && target !== name;
    roles.set(name, name === target ? 'target' : other ? 'continuous' : suggested_role);
  }
  return roles;
}

/** Omits the entity column, which has no role. */
export const rolesBeside = (roles: ReadonlyMap<string, Role>, entity: string | null): Map<string, Role> =>
  new Map([...roles].filter(([name]) => name !== entity));

/**
 * Returns the role fields, columns in map order.
 * @param roles Role of each column by name.
 */
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
