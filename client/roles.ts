/** Roles of all columns, from what the service suggests and what somebody decided otherwise. */
import type { UploadReply } from './contract.ts';

export type Role = UploadReply['profile']['columns'][number]['suggested_role'];

export interface RoleFields {
  target_col: string | null;
  continuous_cols: string[];
  categorical_cols: string[];
  text_cols: string[];
}

/** Every column in its suggested role. Only one can be the target: with another one chosen, a suggested one is continuous. */
export function suggestedRoles(upload: UploadReply, target?: string | null): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { name, suggested_role } of upload.profile.columns) {
    const other = suggested_role === 'target' && target !== undefined && target !== name;
    roles.set(name, name === target ? 'target' : other ? 'continuous' : suggested_role);
  }
  return roles;
}

/** The fields of POST /generate that say these roles, columns in the order of the map. */
export function roleFields(roles: ReadonlyMap<string, Role>): RoleFields {
  const inRole = (wanted: Role) => [...roles].filter(([, role]) => role === wanted).map(([name]) => name);
  return {
    target_col: inRole('target')[0] ?? null,
    continuous_cols: inRole('continuous'),
    categorical_cols: inRole('categorical'),
    text_cols: inRole('text'),
  };
}
