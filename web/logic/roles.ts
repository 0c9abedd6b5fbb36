/** The role that each column has on the page, and the request that follows from them. */
import type { Role } from '../../domain/profile/profile.ts';
import type { GenerateRequestBody } from '../../domain/schema/generateRequest.ts';
import type { UploadReply } from '../../domain/schema/replies.ts';

export type ColumnReport = UploadReply['profile']['columns'][number];
export type Roles = ReadonlyMap<string, Role>;

export const ROLE_WORDS: Record<Role, string> = {
  target: 'Target',
  continuous: 'Continuous',
  categorical: 'Categorical',
  text: 'Text',
  ignore: 'Ignore',
};

export const suggestedRoles = (columns: readonly ColumnReport[]): Roles =>
  new Map(columns.map((column) => [column.name, column.suggested_role]));

/** What a column becomes that is no longer the target. */
const roleBesideTarget = ({ suggested_role, kind }: ColumnReport): Role => {
  if (suggested_role !== 'target') return suggested_role;
  return kind === 'categorical' ? 'categorical' : 'continuous';
};

/** Gives these columns the role. There is one target: of several the first is it, and the one before goes back. */
export function giveRole(roles: Roles, columns: readonly ColumnReport[], names: readonly string[], role: Role): Roles {
  const next = new Map(roles);
  if (role !== 'target') {
    for (const name of names) next.set(name, role);
    return next;
  }
  const [target] = names;
  if (target === undefined) return roles;
  for (const column of columns) {
    if (next.get(column.name) === 'target') next.set(column.name, roleBesideTarget(column));
  }
  return next.set(target, 'target');
}

export const namesWith = (roles: Roles, role: Role): string[] =>
  [...roles].filter(([, given]) => given === role).map(([name]) => name);

export const targetOf = (roles: Roles): string | undefined => namesWith(roles, 'target')[0];

/** Why the roles make no request yet; undefined where they do. */
export function whyNotYet(roles: Roles): string | undefined {
  if (targetOf(roles) !== undefined || namesWith(roles, 'text').length > 0) return undefined;
  return 'Give one numeric column the role Target, or at least one column the role Text. The service builds the table around it.';
}

/** Fields of POST /generate that the roles decide. */
export function fieldsOf(roles: Roles): Omit<GenerateRequestBody, 'job_id'> {
  const target = targetOf(roles);
  return {
    ...(target !== undefined && { target_col: target }),
    continuous_cols: namesWith(roles, 'continuous'),
    categorical_cols: namesWith(roles, 'categorical'),
    text_cols: namesWith(roles, 'text'),
  };
}
