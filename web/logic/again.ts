import type { StatusReply } from '../../packages/contract/replies.ts';
import type { NextStep } from '../../packages/contract/verdicts.ts';
import { writeConditions } from './conditions.ts';
import type { PageData } from './contract.ts';
import { firstOptions, NUMBER_OPTIONS, type NumberOption, type Options } from './options.ts';
import { type ColumnReport, giveRole, type Roles } from './roles.ts';

type AskedFor = NonNullable<StatusReply['request']>;

export interface Setup {
  roles: Roles;
  options: Options;
}

export function setupOf(request: AskedFor, columns: readonly ColumnReport[], data: PageData): Setup {
  const roles: [role: 'continuous' | 'categorical' | 'text', names: readonly string[]][] = [
    ['continuous', request.continuous_cols],
    ['categorical', request.categorical_cols],
    ['text', request.text_cols],
  ];
  const roleOf = (name: string) =>
    name === request.target_col ? 'target' : (roles.find(([, names]) => names.includes(name))?.[0] ?? 'ignore');
  const first = firstOptions(data);
  const numbers = { ...first.numbers };
  for (const name of NUMBER_OPTIONS) if (request[name] !== null) numbers[name] = String(request[name]);
  return {
    roles: new Map(columns.map(({ name }) => [name, roleOf(name)])),
    options: {
      ...first,
      entity: request.entity_col ?? '',
      order: request.order_col ?? '',
      entities: request.n_entities === null ? '' : String(request.n_entities),
      numbers,
      family: request.family,
      sampler: request.sampler,
      calibrate: request.calibrate,
      keepRare: request.keep_rare,
      crossFits: request.cross_fit ?? false,
      allowsFewRows: request.allow_few_rows,
      isStrict: request.policy !== null,
      conditions: writeConditions(request.conditions.map(withoutNull)),
    },
  };
}

const withoutNull = ({ rows, ...condition }: AskedFor['conditions'][number]) =>
  rows === null ? condition : { ...condition, rows };

/** Doubles the numbers within bounds. */
function doubled(options: Options, names: readonly NumberOption[], { bounds }: PageData): Options {
  const numbers = { ...options.numbers };
  for (const name of names) numbers[name] = String(Math.min(bounds[name].max, 2 * Number(numbers[name])));
  return { ...options, numbers };
}

/** Unchanged for steps that ask the visitor to look. */
export function changed(
  { roles, options }: Setup,
  { action, column }: { action: NextStep['action'] | null; column: string | null },
  columns: readonly ColumnReport[],
  data: PageData,
): Setup {
  if (action === 'keep_rare') return { roles, options: { ...options, keepRare: true } };
  if (action === 'cross_fit') return { roles, options: { ...options, crossFits: true } };
  if (action === 'set_policy') return { roles, options: { ...options, isStrict: true } };
  if (action === 'raise_text_epochs') return { roles, options: doubled(options, ['text_epochs'], data) };
  if (action === 'raise_draws') return { roles, options: doubled(options, ['draws', 'tune'], data) };
  if (action === 'choose_family') return { roles, options: { ...options, family: 'auto' } };
  if (action === 'leave_out' && column !== null) {
    return { roles: giveRole(roles, columns, [column], 'ignore'), options };
  }
  return { roles, options };
}

export function stepWords(action: NextStep['action'], column: string | null): string {
  const named = column === null ? 'a column' : `"${column}"`;
  const words: Partial<Record<NextStep['action'], string>> = {
    keep_rare: 'Run again with rare categories kept',
    cross_fit: 'Run again with cross-fitted attacks',
    set_policy: 'Run again with the strict release policy',
    leave_out: `Run again without ${named}`,
    check_role: `Change the role of ${named}`,
    raise_text_epochs: 'Run again with more text epochs',
    raise_draws: 'Run again with more draws',
    choose_family: 'Choose another family',
  };
  return words[action] ?? 'Run again with other settings';
}

export function changeWords(action: NextStep['action'] | null, column: string | null): string {
  const named = column === null ? 'the column' : `"${column}"`;
  const words: Partial<Record<NextStep['action'], string>> = {
    keep_rare: 'Rare categories are now kept.',
    cross_fit: 'Attacks are now cross-fitted.',
    set_policy: 'The strict release policy is now on.',
    leave_out: `${named} is now left out.`,
    check_role: `Choose another role for ${named}.`,
    raise_text_epochs: 'There are now twice as many text epochs.',
    raise_draws: 'There are now twice as many draws.',
    choose_family: 'Choose a family under Advanced.',
  };
  const change = action === null ? undefined : words[action];
  return `Roles and options are those of the earlier job.${change ? ` ${change[0]?.toUpperCase()}${change.slice(1)}` : ''}`;
}
