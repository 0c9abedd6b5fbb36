/** Real against synthetic, a picture for each column. Real is the filled bars, synthetic the outline: not by colour alone. */

import Papa from 'papaparse';
import { useId, useMemo, useState } from 'preact/hooks';
import { clip, decimal } from '../../packages/words/format.ts';
import { counted, percent, withCommas } from '../../packages/words/wording.ts';
import { type Comparison, compareColumn } from '../logic/compare.ts';
import type { ColumnReport } from '../logic/roles.ts';

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

// Twenty rows of the synthetic table, beside twenty of the uploaded file where it is still at hand.

const ROWS = 20;
const MAX_CHARACTERS = 60;
const MAX_COLUMNS = 50;

interface RowsProps {
  made: Sheet;
  real: Sheet | undefined;
}

export function RowsPanel({ made, real }: RowsProps) {
  const id = useId();
  const names = made.header.slice(0, MAX_COLUMNS);
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Rows</h2>
      <div class="beside">
        <Rows title="Synthetic" sheet={made} names={names} />
        {real ? (
          <Rows title="Real" sheet={real} names={names} />
        ) : (
          <p class="soft">Rows of your own file are shown here until you reload the page, if it is a CSV file.</p>
        )}
      </div>
    </section>
  );
}

function Rows({ title, sheet, names }: { title: string; sheet: Sheet; names: readonly string[] }) {
  const places = names.map((name) => sheet.header.indexOf(name));
  return (
    <div>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll" tabIndex={0} aria-label={`${title} rows`}>
        <table>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sheet.rows.slice(0, ROWS).map((row, at) => (
              <tr key={at}>
                {places.map((place, column) => (
                  <td key={names[column]}>{clip(row[place] ?? '', MAX_CHARACTERS)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

// A CSV file as columns of cells, as much of it as pictures need.

export interface Sheet {
  header: string[];
  /** Rows of cells as written; short rows are filled with ''. */
  rows: string[][];
  /** The file has more rows than were read. */
  isCut: boolean;
}

const MAX_ROWS = 20_000;
const MAX_BYTES = 20_000_000;

export async function readCsv(file: Blob): Promise<Sheet> {
  const text = await file.slice(0, MAX_BYTES).text();
  const { data } = Papa.parse<string[]>(text, { preview: MAX_ROWS + 1, skipEmptyLines: 'greedy' });
  const [header = [], ...rows] = data;
  // The last row of a piece may be half of one.
  const isCut = file.size > MAX_BYTES || rows.length === MAX_ROWS;
  const whole = file.size > MAX_BYTES ? rows.slice(0, -1) : rows;
  const width = header.length;
  const filled = whole.map((row) =>
    row.length < width ? [...row, ...new Array<string>(width - row.length).fill('')] : row,
  );
  return { header: header.map((name) => name.trim()), rows: filled, isCut };
}

/** Cells of a column by its name; undefined where the file has none of this name. */
function cellsOf({ header, rows }: Sheet, name: string): string[] | undefined {
  const at = header.indexOf(name);
  return at < 0 ? undefined : rows.map((row) => row[at] ?? '');
}
