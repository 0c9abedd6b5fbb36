import type { Role } from '../../packages/client/index.ts';
import type { UploadReply } from '../../packages/contract/replies.ts';
import { counted } from '../../packages/words/wording.ts';

export type ColumnReport = UploadReply['profile']['columns'][number];
export type Roles = ReadonlyMap<string, Role>;

export const ROLE_WORDS: Record<Role, string> = {
  target: 'Target',
  continuous: 'Continuous',
  categorical: 'Categorical',
  text: 'Text',
  ignore: 'Ignore',
};

export const KIND_WORDS: Record<ColumnReport['kind'], string> = {
  continuous: 'number',
  categorical: 'category',
  text: 'text',
  datetime: 'date or time',
  identifier: 'ID',
  empty: 'empty',
};

export const isRole = (value: string): value is Role => value in ROLE_WORDS;

/** Role of a former target. */
const roleBesideTarget = ({ suggested_role, kind }: ColumnReport): Role => {
  if (suggested_role !== 'target') return suggested_role;
  return kind === 'categorical' ? 'categorical' : 'continuous';
};

/** Only the first can be the target; the previous one gets its former role. */
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

/** Undefined if the roles are complete. */
export function whyNotYet(roles: Roles): string | undefined {
  if ([...roles.values()].some((role) => role !== 'ignore')) return undefined;
  return 'Give at least one column a role other than Ignore.';
}

export function foundWords({ n_rows, profile: { columns }, suggested_target }: UploadReply, roles: Roles): string {
  const target = targetOf(roles);
  const reason = target === suggested_target?.column ? suggested_target?.reason : undefined;
  const targetSentence =
    target === undefined
      ? 'No column to predict. All columns are generated together.'
      : `Target: "${target}"${reason === undefined ? '' : ` (${reason}; change it if you predict something else)`}.`;
  const keys = columns.filter(({ kind, name }) => kind === 'identifier' && roles.get(name) !== 'ignore');
  const keySentence =
    keys.length === 0
      ? ''
      : ` New IDs are generated for ${keys.length > 3 ? counted(keys.length, 'column') : keys.map(({ name }) => `"${name}"`).join(', ')}.`;
  const ignored = namesWith(roles, 'ignore').length;
  const ignoredSentence = ignored === 0 ? '' : ` ${counted(ignored, 'column')} will be left out.`;
  return `Found ${counted(n_rows, 'row')} and ${counted(columns.length, 'column')}. ${targetSentence}${keySentence}${ignoredSentence}`;
}

/** `kind` '' matches all. */
export const columnsLike = (columns: readonly ColumnReport[], search: string, kind: string): ColumnReport[] =>
  columns.filter(
    (column) =>
      column.name.toLowerCase().includes(search.trim().toLowerCase()) && (kind === '' || column.kind === kind),
  );
