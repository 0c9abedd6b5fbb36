import type { UploadReply } from '../packages/client/contract.ts';
import type { Role, SuggestedEntity } from '../packages/contract/columns.ts';
import { type RoleFields, roleFields, suggestedRoles } from '../packages/contract/roles.ts';
import { didYouMean } from '../packages/words/nearNames.ts';
import { listed } from '../packages/words/wording.ts';
import { misuse } from './exitCodes.ts';
import type { MakeCommand, NamedRoles } from './parsedCommand.ts';
import type { Settings } from './settings.ts';

type Columns = Pick<UploadReply, 'columns'> & Parameters<typeof suggestedRoles>[0];

/** Body of POST /generate without a job. Throws CliError (usage). */
export function requestOf(
  upload: Columns,
  { roles, auto, settings }: Pick<MakeCommand, 'roles' | 'auto' | 'settings'>,
): Settings & RoleFields {
  const fields = roleFields(withEntity(chooseRoles(upload, roles, { auto }), upload, roles, settings));
  if (
    !settings.domain &&
    [fields.target_col ?? [], fields.text_cols, fields.continuous_cols, fields.categorical_cols].flat().length === 0
  ) {
    throw misuse(
      'No column has a role. Use --auto, or name columns by --target, --continuous, --categorical or --text.',
    );
  }
  return { ...settings, ...fields };
}

/** Entity and order columns lose suggested roles that conflict. */
function withEntity(
  chosen: Map<string, Role>,
  upload: Columns,
  roles: NamedRoles,
  { entity_col: entity, order_col: order }: Settings,
): Map<string, Role> {
  const named = chooseRoles(upload, roles, { auto: false });
  const isFree = (name: string, option: string): boolean =>
    named.get(oneColumn(name, upload.columns, option)) === 'ignore';
  if (entity && isFree(entity, 'entity')) chosen.set(entity, 'ignore');
  if (order && isFree(order, 'order') && chosen.get(order) === 'target') chosen.set(order, 'continuous');
  return chosen;
}

/** With `auto`, explains the choice. */
export function choiceLines(
  upload: Pick<UploadReply, 'profile' | 'suggested_target' | 'suggested_entity'>,
  request: RoleFields,
  { auto, roles, settings }: MakeCommand,
): string[] {
  if (!auto) return [];
  const { entity_col = null } = settings;
  const { suggested_entity: entity } = upload;
  const { target_col = null, continuous_cols, categorical_cols, text_cols } = request;
  const used = new Set([target_col, continuous_cols, categorical_cols, text_cols].flatMap((named) => named ?? []));
  const left = upload.profile.columns.filter((one) => one.suggested_role === 'ignore' && !used.has(one.name));
  const { column, reason = '' } = upload.suggested_target ?? {};
  return [
    ...(roles.target === null && column !== undefined && column === target_col
      ? [`target: ${column} (${reason})`]
      : []),
    ...(left.length > 0 ? [`left out: ${listed(left.map(({ name, kind }) => `${name} (${kind})`))}`] : []),
    ...(entity && entity_col === null
      ? [
          `${JSON.stringify(entity.column)} repeats. Add ${entityOptions(entity)}, or rows of one ${entity.column} will not fit together`,
        ]
      : []),
  ];
}

const entityOptions = ({ column, order }: SuggestedEntity): string =>
  `--entity ${JSON.stringify(column)}${order ? ` --order ${JSON.stringify(order.column)}` : ''}`;

/**
 * Columns with roles, in file order; `auto` adds suggestions. Throws CliError (usage) for an unknown or repeated
 * column.
 */
export function chooseRoles(
  upload: Columns,
  named: NamedRoles,
  { auto }: Pick<MakeCommand, 'auto'>,
): Map<string, Role> {
  const chosen = new Map<string, Role>();
  const choose = (given: string, role: Role): void => {
    for (const name of columnsOf(given, role, upload.columns)) {
      const before = chosen.get(name);
      if (before !== undefined && before !== role) throw twice(name, before, role);
      chosen.set(name, role);
    }
  };
  if (named.target !== null) chosen.set(oneColumn(named.target, upload.columns), 'target');
  for (const role of ['continuous', 'categorical', 'text', 'ignore'] as const) {
    for (const given of named[role]) choose(given, role);
  }
  const target = named.noTarget ? null : (named.target ?? undefined);
  const suggested = auto ? suggestedRoles(upload, target) : new Map<string, Role>();
  return new Map(upload.columns.map((name) => [name, chosen.get(name) ?? suggested.get(name) ?? 'ignore']));
}

/** An existing column name may contain commas. */
function columnsOf(given: string, role: Role, columns: readonly string[]): string[] {
  if (columns.includes(given)) return [given];
  const names = given.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '').map((name) => oneColumn(name, columns, role));
}

const MAX_LISTED = 50;

function oneColumn(name: string, columns: readonly string[], role = 'target'): string {
  if (columns.includes(name)) return name;
  const meant = didYouMean(name, columns, (column) => JSON.stringify(column));
  const all = listed(
    columns.map((column) => JSON.stringify(column)),
    MAX_LISTED,
  );
  throw misuse(`--${role}: there is no column ${JSON.stringify(name)}.${meant} The columns are ${all}.`);
}

const twice = (name: string, a: Role, b: Role) =>
  misuse(`Column ${JSON.stringify(name)} is named in --${a} and in --${b}: give it one role.`);
