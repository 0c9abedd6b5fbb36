/** The role that each column has on the page. */

import type { Role } from '../../packages/client/index.ts';
import type { UploadReply } from '../../packages/contract/replies.ts';

export type ColumnReport = UploadReply['profile']['columns'][number];
export type Roles = ReadonlyMap<string, Role>;

export const ROLE_WORDS: Record<Role, string> = {
  target: 'Target',
  continuous: 'Continuous',
  categorical: 'Categorical',
  text: 'Text',
  ignore: 'Ignore',
};

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
  if ([...roles.values()].some((role) => role !== 'ignore')) return undefined;
  return 'Give at least one column a role other than Ignore.';
}
