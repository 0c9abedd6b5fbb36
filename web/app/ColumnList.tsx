/** Every column with what it is and the role it gets; roles are changed one by one, or for all that are selected. */
import { useId, useState } from 'preact/hooks';
import { type Role, suggestedRoles, type UploadReply } from '../../packages/client/index.ts';
import { clip, decimal } from '../../packages/words/format.ts';
import { counted, percent, withCommas } from '../../packages/words/wording.ts';
import { middleRange, sharesOfQuantiles } from '../logic/histogram.ts';
import { type ColumnReport, giveRole, ROLE_WORDS, type Roles } from '../logic/roles.ts';

/** Rows of a list that a browser draws at once; wider tables show more when asked to. */
const SHOWN_AT_ONCE = 100;

const ROLES = Object.keys(ROLE_WORDS).filter((role): role is Role => role in ROLE_WORDS);

interface Props {
  upload: UploadReply;
  roles: Roles;
  onRoles(roles: Roles): void;
}

export function ColumnList({ upload, roles, onRoles }: Props) {
  const { columns } = upload.profile;
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
          Select {search === '' ? 'all' : 'these'}
        </button>
        <button type="button" onClick={() => setTicked(new Set())} disabled={ticked.size === 0}>
          Select none
        </button>
        <BulkRole count={ticked.size} onApply={(role) => onRoles(giveRole(roles, columns, [...ticked], role))} />
        <button type="button" onClick={() => onRoles(suggestedRoles(upload))}>
          Reset to suggested
        </button>
      </div>
      <ul class="columns" aria-label="Columns">
        {found.slice(0, most).map((column) => (
          <ColumnRow
            key={column.name}
            column={column}
            rows={upload.n_rows}
            role={roles.get(column.name) ?? 'ignore'}
            isTicked={ticked.has(column.name)}
            onTick={(isTicked) => tick(column.name, isTicked)}
            onRole={(role) => onRoles(giveRole(roles, columns, [column.name], role))}
          />
        ))}
      </ul>
      {found.length === 0 && <p>No column name contains "{search}".</p>}
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
      <label for={id}>Role of {count === 0 ? 'selected columns' : counted(count, 'selected column')}</label>
      <RoleSelect id={id} value={role} onRole={setRole} />
      <button type="button" disabled={count === 0} onClick={() => onApply(role)}>
        Apply
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
          `${percent(missing / Math.max(1, rows))} missing (${withCommas(missing)})`
        )}
      </div>
      <div class="role">
        <RoleSelect id={id} value={role} label={`Role of ${name}`} describedBy={`${id}-why`} onRole={onRole} />
        {role !== suggested && <div class="small">suggested: {ROLE_WORDS[suggested]}</div>}
      </div>
      <div id={`${id}-why`} class="soft small why">
        {column.evidence.join('; ') || 'no values'}
      </div>
    </li>
  );
}

// A small picture of a column's distribution, and the same in words for whoever does not see it.

const WIDTH = 160;
const HEIGHT = 44;
const BINS = 24;
const MAX_BARS = 8;
/** Two levels are two bars, not two walls. */
const WIDEST_BAR = 26;

type Picture = NonNullable<ColumnReport['picture']>;

function ColumnPicture({ name, picture }: Pick<ColumnReport, 'name' | 'picture'>) {
  if (!picture) return <span class="soft">no chart</span>;
  const { shares, said, caption } = drawn(picture);
  if (shares.length === 0) return <span class="soft">{caption}</span>;
  const most = Math.max(...shares, 1e-9);
  const step = Math.min(WIDEST_BAR, WIDTH / shares.length);
  return (
    <figure class="picture">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Distribution of ${name}: ${said}`}>
        {shares.map((share, at) => {
          const height = Math.max(share > 0 ? 1.5 : 0, (share / most) * (HEIGHT - 2));
          return <rect key={at} x={at * step + 0.5} y={HEIGHT - height} width={step - 1} height={height} />;
        })}
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      </svg>
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

function drawn(picture: Picture): { shares: number[]; said: string; caption: string } {
  if (picture.kind === 'quantiles') {
    const { probabilities, values, low, middle, high } = picture;
    const shares = sharesOfQuantiles(probabilities, values, middleRange(probabilities, values), BINS);
    return { shares, said: `from ${low} to ${high}, median ${middle}`, caption: `${low} – ${high}, median ${middle}` };
  }
  if (picture.kind === 'lengths') {
    const caption = `${decimal(picture.mean)} characters on average (${picture.min} to ${picture.max})`;
    return { shares: [], said: caption, caption };
  }
  const all = picture.levels.reduce((sum, [, count]) => sum + count, picture.others) || 1;
  const named = picture.levels.slice(0, MAX_BARS);
  const rest = 1 - named.reduce((sum, [, count]) => sum + count / all, 0);
  const words = named.slice(0, 3).map(([level, count]) => `${clip(level, 18)} ${percent(count / all)}`);
  return {
    shares: [...named.map(([, count]) => count / all), ...(rest > 1e-9 ? [rest] : [])],
    said: `${counted(picture.levels.length, 'frequent level')}: ${words.join(', ')}`,
    caption: words.join(', '),
  };
}
