/** Every column with what it is and the role it gets; roles are changed one by one, or for all that are ticked. */
import { useId, useState } from 'preact/hooks';
import type { Role } from '../../domain/profile/profile.ts';
import { type ColumnReport, giveRole, ROLE_WORDS, type Roles, suggestedRoles } from '../logic/roles.ts';
import { counted, percent, whole } from '../logic/words.ts';
import { ColumnPicture } from './ColumnPicture.tsx';

/** Rows of a list that a browser draws at once; wider tables show more when asked to. */
const SHOWN_AT_ONCE = 100;

const ROLES = Object.keys(ROLE_WORDS).filter((role): role is Role => role in ROLE_WORDS);

interface Props {
  columns: readonly ColumnReport[];
  rows: number;
  roles: Roles;
  onRoles(roles: Roles): void;
}

export function ColumnList({ columns, rows, roles, onRoles }: Props) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState('');
  const [most, setMost] = useState(SHOWN_AT_ONCE);
  const id = useId();
  const found = columns.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const tick = (name: string, isTicked: boolean) => {
    const next = new Set(ticked);
    if (isTicked) next.add(name);
    else next.delete(name);
    setTicked(next);
  };
  return (
    <>
      <div class="line">
        <label for={id}>Find a column</label>
        <input id={id} type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        <button type="button" onClick={() => setTicked(new Set(found.map(({ name }) => name)))}>
          Tick {search === '' ? 'all' : 'these'}
        </button>
        <button type="button" onClick={() => setTicked(new Set())} disabled={ticked.size === 0}>
          Tick none
        </button>
        <BulkRole count={ticked.size} onApply={(role) => onRoles(giveRole(roles, columns, [...ticked], role))} />
        <button type="button" onClick={() => onRoles(suggestedRoles(columns))}>
          Back to the suggestions
        </button>
      </div>
      <ul class="columns" aria-label="Columns">
        {found.slice(0, most).map((column) => (
          <ColumnRow
            key={column.name}
            column={column}
            rows={rows}
            role={roles.get(column.name) ?? 'ignore'}
            isTicked={ticked.has(column.name)}
            onTick={(isTicked) => tick(column.name, isTicked)}
            onRole={(role) => onRoles(giveRole(roles, columns, [column.name], role))}
          />
        ))}
      </ul>
      {found.length === 0 && <p>No column has "{search}" in its name.</p>}
      {found.length > most && (
        <button type="button" onClick={() => setMost(most + SHOWN_AT_ONCE)}>
          Show more ({counted(found.length - most, 'column')} left)
        </button>
      )}
    </>
  );
}

function BulkRole({ count, onApply }: { count: number; onApply(role: Role): void }) {
  const [role, setRole] = useState<Role>('ignore');
  const id = useId();
  return (
    <span class="together">
      <label for={id}>Role of {count === 0 ? 'ticked columns' : counted(count, 'ticked column')}</label>
      <RoleSelect id={id} value={role} onRole={setRole} />
      <button type="button" disabled={count === 0} onClick={() => onApply(role)}>
        Give it
      </button>
    </span>
  );
}

interface RoleSelectProps {
  id: string;
  value: Role;
  describedBy?: string;
  label?: string;
  onRole(role: Role): void;
}

function RoleSelect({ id, value, describedBy, label, onRole }: RoleSelectProps) {
  const choose = (chosen: string) => {
    const role = ROLES.find((known) => known === chosen);
    if (role) onRole(role);
  };
  return (
    <select
      id={id}
      value={value}
      aria-label={label}
      aria-describedby={describedBy}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {ROLE_WORDS[role]}
        </option>
      ))}
    </select>
  );
}

interface RowProps {
  column: ColumnReport;
  rows: number;
  role: Role;
  isTicked: boolean;
  onTick(isTicked: boolean): void;
  onRole(role: Role): void;
}

function ColumnRow({ column, rows, role, isTicked, onTick, onRole }: RowProps) {
  const id = useId();
  const { name, kind, missing, distinct, suggested_role: suggested } = column;
  return (
    <li class={`column ${role}`}>
      <label class="name">
        <input type="checkbox" checked={isTicked} onChange={(event) => onTick(event.currentTarget.checked)} />
        <span>{name}</span>
      </label>
      <div>
        <span class="kind">{kind}</span>
        <div class="soft small">{counted(distinct, 'distinct value')}</div>
      </div>
      <ColumnPicture name={name} picture={column.picture} />
      <div class="small">
        {missing === 0 ? (
          <span class="soft">none missing</span>
        ) : (
          `${percent(missing / Math.max(1, rows))} missing (${whole(missing)})`
        )}
      </div>
      <div class="role">
        <RoleSelect id={id} value={role} label={`Role of ${name}`} describedBy={`${id}-why`} onRole={onRole} />
        {role !== suggested && <div class="small">suggested: {ROLE_WORDS[suggested]}</div>}
      </div>
      <div id={`${id}-why`} class="soft small why">
        {column.evidence.join('; ') || 'no cells'}
      </div>
    </li>
  );
}
