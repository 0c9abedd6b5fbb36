import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type Role, suggestedRoles, type UploadReply } from '../../packages/client/index.ts';
import { counted } from '../../packages/words/wording.ts';
import { type ColumnReport, columnsLike, giveRole, KIND_WORDS, type Roles } from '../logic/roles.ts';
import { ColumnDetails } from './ColumnDetails.tsx';
import { RoleSelect } from './RoleSelect.tsx';

/** Initial limit, for the browser's sake. */
const SHOWN_AT_ONCE = 60;

/** Minimum columns for a search and for bulk changes. */
const MANY = { toSearch: 30, toChange: 8 };

interface Props {
  upload: UploadReply;
  roles: Roles;
  first: string | null;
  /** IDs are replaced. */
  makesIds?: boolean;
  onRoles(roles: Roles): void;
  children: ComponentChildren;
}

export function ColumnsPanel({ upload, roles, first, makesIds = true, onRoles, children }: Props) {
  const columns = firstOf(upload.profile.columns, first);
  const [search, setSearch] = useState('');
  const [kind, setKind] = useState('');
  const [most, setMost] = useState(SHOWN_AT_ONCE);
  const found = columnsLike(columns, search, kind);
  const shown = found.slice(0, most);
  const give = (names: readonly string[], role: Role) => onRoles(giveRole(roles, columns, names, role));
  return (
    <>
      {columns.length > MANY.toSearch && (
        <Search columns={columns} search={search} kind={kind} onSearch={setSearch} onKind={setKind} />
      )}
      {found.length === 0 ? (
        <p>No column name contains "{search}".</p>
      ) : (
        <Preview
          upload={upload}
          shown={shown}
          roles={roles}
          makesIds={makesIds}
          onRole={(name, role) => give([name], role)}
        />
      )}
      {found.length > most && (
        <button type="button" onClick={() => setMost(most + SHOWN_AT_ONCE)}>
          Show more ({counted(found.length - most, 'column')} left)
        </button>
      )}
      {children}
      <div class="line">
        {columns.length > MANY.toChange && (
          <BulkRole
            count={found.length}
            isAll={found.length === columns.length}
            onApply={(role) =>
              give(
                found.map(({ name }) => name),
                role,
              )
            }
          />
        )}
        <button type="button" onClick={() => onRoles(suggestedRoles(upload))}>
          Reset to suggested
        </button>
      </div>
      <ColumnDetails columns={shown} rows={upload.n_rows} />
    </>
  );
}

const firstOf = (columns: readonly ColumnReport[], name: string | null): ColumnReport[] => [
  ...columns.filter((column) => column.name === name),
  ...columns.filter((column) => column.name !== name),
];

interface SearchProps {
  columns: readonly ColumnReport[];
  search: string;
  kind: string;
  onSearch(search: string): void;
  onKind(kind: string): void;
}

function Search({ columns, search, kind, onSearch, onKind }: SearchProps) {
  const id = useId();
  const kinds = [...new Set(columns.map((column) => column.kind))];
  return (
    <div class="line">
      <label for={id}>Find a column</label>
      <input id={id} type="search" value={search} onInput={(event) => onSearch(event.currentTarget.value)} />
      <select aria-label="Kind of column" value={kind} onChange={(event) => onKind(event.currentTarget.value)}>
        <option value="">any kind</option>
        {kinds.map((one) => (
          <option key={one} value={one}>
            {KIND_WORDS[one]}
          </option>
        ))}
      </select>
    </div>
  );
}

function BulkRole({ count, isAll, onApply }: { count: number; isAll: boolean; onApply(role: Role): void }) {
  const [role, setRole] = useState<Role>('ignore');
  const what = isAll ? `all ${counted(count, 'column')}` : `these ${counted(count, 'column')}`;
  return (
    <span class="together">
      <span>Role of {what}</span>
      <RoleSelect label={`Role of ${what}`} value={role} onRole={setRole} />
      <button type="button" disabled={count === 0} onClick={() => onApply(role)}>
        Apply
      </button>
    </span>
  );
}

interface PreviewProps {
  upload: UploadReply;
  shown: readonly ColumnReport[];
  roles: Roles;
  makesIds: boolean;
  onRole(name: string, role: Role): void;
}

function Preview({ upload: { columns, preview = [] }, shown, roles, makesIds, onRole }: PreviewProps) {
  const roleOf = (name: string): Role => roles.get(name) ?? 'ignore';
  const at = new Map(columns.map((name, place) => [name, place]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
    <section class="scroll preview" tabIndex={0} aria-label="First rows and roles">
      <table>
        <thead>
          <tr>
            {shown.map(({ name, kind }) => (
              <th key={name} scope="col" class={roleOf(name)}>
                <span class="name">{name}</span>
                <span class="kind soft">{KIND_WORDS[kind]}</span>
                <RoleSelect
                  label={`Role of ${name}`}
                  value={roleOf(name)}
                  isKey={makesIds && kind === 'identifier'}
                  onRole={(role) => onRole(name, role)}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.map((row, line) => (
            <tr key={line}>
              {shown.map(({ name }) => (
                <Cell key={name} text={row[at.get(name) ?? -1] ?? null} isLeftOut={roleOf(name) === 'ignore'} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ text, isLeftOut }: { text: string | null; isLeftOut: boolean }) {
  if (text === null) return <td class="soft">missing</td>;
  return (
    <td class={isLeftOut ? 'soft' : ''}>
      <span class="cell">{text}</span>
    </td>
  );
}
