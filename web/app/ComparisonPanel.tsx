/** Real against synthetic, a picture for each column. Real is the filled bars, synthetic the outline: not by colour alone. */

import { useId, useMemo, useState } from 'preact/hooks';
import { clip, decimal } from '../../packages/words/format.ts';
import { counted, percent, withCommas } from '../../packages/words/wording.ts';
import { type Comparison, compareColumn } from '../logic/compare.ts';
import type { ColumnReport } from '../logic/roles.ts';
import type { Sheet } from './RowsPanel.tsx';

const AT_ONCE = 24;
const WIDTH = 300;
const HEIGHT = 110;

interface Props {
  columns: readonly ColumnReport[];
  made: Sheet;
  /** The uploaded file where it is at hand; else its profile is drawn. */
  real: Sheet | undefined;
}

export function ComparisonPanel({ columns, made, real }: Props) {
  const id = useId();
  const [most, setMost] = useState(AT_ONCE);
  const compared = useMemo(
    () =>
      columns.flatMap((column) => {
        const cells = cellsOf(made, column.name);
        return cells ? (compareColumn(column, cells, real && cellsOf(real, column.name)) ?? []) : [];
      }),
    [columns, made, real],
  );
  if (compared.length === 0) return null;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Real and synthetic distributions</h2>
      <p class="legend">
        <span class="key real" aria-hidden="true" /> real <span class="key made" aria-hidden="true" /> synthetic
        {made.isCut && <span class="soft"> (of the first {withCommas(made.rows.length)} rows)</span>}
      </p>
      <ul class="pictures">
        {compared.slice(0, most).map((comparison) => (
          <li key={comparison.name}>
            <h3>{comparison.name}</h3>
            {comparison.kind === 'bars' ? <Bars {...comparison} /> : <Levels {...comparison} />}
          </li>
        ))}
      </ul>
      {compared.length > most && (
        <button type="button" onClick={() => setMost(most + AT_ONCE)}>
          Show more ({counted(compared.length - most, 'column')} left)
        </button>
      )}
    </section>
  );
}

function Bars({ name, real, synthetic, range, isTime }: Extract<Comparison, { kind: 'bars' }>) {
  const most = Math.max(...real, ...synthetic, 1e-9);
  const step = WIDTH / real.length;
  const top = (share: number) => HEIGHT - (share / most) * (HEIGHT - 4);
  const outline = synthetic.map((share, at) => `${at === 0 ? 'M' : 'L'}${at * step} ${top(share)}H${(at + 1) * step}`);
  const end = (value: number) => (isTime ? new Date(value).toISOString().slice(0, 10) : decimal(value));
  const gap = real.reduce((sum, share, at) => sum + Math.abs(share - synthetic[at]!), 0) / 2;
  return (
    <figure>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${name}: ${percent(1 - gap)} of the two distributions overlap`}
      >
        {real.map((share, at) => (
          <rect
            key={at}
            class="real"
            x={at * step + 0.5}
            y={top(share)}
            width={step - 1}
            height={HEIGHT - top(share)}
          />
        ))}
        <path class="made" d={outline.join('')} />
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      </svg>
      <figcaption class="ends small soft">
        <span>≤ {end(range.low)}</span>
        <span>{percent(1 - gap)} overlap</span>
        <span>≥ {end(range.high)}</span>
      </figcaption>
    </figure>
  );
}

function Levels({ levels }: Extract<Comparison, { kind: 'levels' }>) {
  const most = Math.max(...levels.flatMap(({ real, synthetic }) => [real, synthetic]), 1e-9);
  return (
    <table class="levels">
      <colgroup>
        <col class="name" />
        <col />
        <col class="shares" />
      </colgroup>
      <thead class="hidden">
        <tr>
          <th scope="col">Level</th>
          <th scope="col">Real and synthetic, drawn</th>
          <th scope="col">Real, synthetic</th>
        </tr>
      </thead>
      <tbody>
        {levels.map(({ level, real, synthetic }) => (
          <tr key={level}>
            <th scope="row">{clip(level, 24)}</th>
            <td>
              <svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
                <rect class="real" x={0} y={1} width={(real / most) * 100} height={6} />
                <rect class="made" x={0} y={8} width={(synthetic / most) * 100} height={5} />
              </svg>
            </td>
            <td class="small">
              {percent(real)}, {percent(synthetic)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Cells of a column by its name; undefined where the file has none of this name. */
function cellsOf({ header, rows }: Sheet, name: string): string[] | undefined {
  const at = header.indexOf(name);
  return at < 0 ? undefined : rows.map((row) => row[at] ?? '');
}
