/** Real is filled, synthetic outlined: not by colour alone. */
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { Axis, ColumnReport, ReportData } from '../../packages/contract/report.ts';
import { overlapOf } from '../../packages/contract/reportScores.ts';
import { clip, share } from '../../packages/words/format.ts';
import { counted, listed, percent, withCommas } from '../../packages/words/wording.ts';
import { type ChartOrder, chartsOf, ticksThatFit } from '../logic/compare.ts';

/** Null without a report; undefined while loading. */
export function useReport(service: SyntheticTables, id: string): ReportData | null | undefined {
  const [report, setReport] = useState<ReportData | null>();
  useEffect(() => {
    setReport(undefined);
    const gone = new AbortController();
    service.reportData(id, { signal: gone.signal }).then(setReport, () => {
      if (!gone.signal.aborted) setReport(null);
    });
    return () => gone.abort();
  }, [service, id]);
  return report;
}

const AT_FIRST = 12;
const MORE = 24;
/** Columns without a chart. */
const MAX_NAMED = 5;

export function ComparisonPanel({ report }: { report: ReportData }) {
  const id = useId();
  const [most, setMost] = useState(AT_FIRST);
  const [searched, setSearched] = useState('');
  const [order, setOrder] = useState<ChartOrder>('worst');
  const charts = useMemo(() => chartsOf(report.columns, searched, order), [report, searched, order]);
  const { rows, columns } = report;
  const undrawn = columns.filter(({ axis }) => axis === null);
  if (columns.every(({ axis }) => axis === null)) return null;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Real and synthetic distributions</h2>
      <p class="legend">
        <span class="key real" aria-hidden="true" /> {counted(rows.real, 'real row')}{' '}
        <span class="key made" aria-hidden="true" /> {counted(rows.synthetic, 'synthetic row')}
      </p>
      <div class="chart-choice">
        <label>
          Find a column
          <input type="search" value={searched} onInput={({ currentTarget }) => setSearched(currentTarget.value)} />
        </label>
        <label>
          Order
          <select
            value={order}
            onChange={({ currentTarget }) => setOrder(currentTarget.value === 'table' ? 'table' : 'worst')}
          >
            <option value="worst">Least overlap first</option>
            <option value="table">As in the table</option>
          </select>
        </label>
      </div>
      <p class="soft small" role="status">
        {saidOf(charts.length, Math.min(most, charts.length), undrawn)}
      </p>
      <ul class="pictures">
        {charts.slice(0, most).map((column) => (
          <li key={column.name}>
            <Chart {...column} />
          </li>
        ))}
      </ul>
      {charts.length > most && (
        <button type="button" onClick={() => setMost(most + MORE)}>
          Show more ({counted(charts.length - most, 'column')} left)
        </button>
      )}
    </section>
  );
}

function saidOf(found: number, shown: number, undrawn: readonly ColumnReport[]): string {
  if (found === 0) return 'No column with a chart has this in its name.';
  const named = undrawn.map(({ name, role }) => `${name} (${role === 'identifier' ? 'ID' : 'too few cells'})`);
  const rest = named.length > 0 ? ` Not shown: ${listed(named, MAX_NAMED)}.` : '';
  return `${shown < found ? `${withCommas(shown)} of ` : ''}${counted(found, 'column')}.${rest}`;
}

function Chart(column: ColumnReport) {
  const { name, axis, reason } = column;
  if (!axis) return null;
  const isText = axis.kind === 'characters';
  return (
    <figure class="chart">
      <h3>
        {name}
        {isText && <span class="soft small"> length in characters</span>}
      </h3>
      {axis.kind === 'levels' ? <Levels axis={axis} column={column} /> : <Bars axis={axis} column={column} />}
      <figcaption>
        {overlapText(column)}
        {missingText(column)}
        {reason && ` ${reason}`}
      </figcaption>
    </figure>
  );
}

function overlapText(column: ColumnReport): string {
  const overlap = overlapOf(column);
  if (overlap === null) return '';
  const chance = column.overlap_by_chance;
  return `Overlap ${percent(overlap)}${chance === null ? '' : `; real samples: ${percent(chance)}`}. `;
}

const missingText = ({ missing_real, missing_synthetic }: ColumnReport): string =>
  missing_real + missing_synthetic > 0
    ? `Missing: ${percent(missing_real)} real, ${percent(missing_synthetic)} synthetic.`
    : '';

interface Drawn {
  axis: Axis;
  column: ColumnReport;
}

const WIDTH = 320;
const HEIGHT = 120;
const TOP = 14;
/** Character width of axis labels. */
const CHARACTER = 6.6;

function Bars({ axis, column }: Drawn) {
  const { name, real, synthetic } = column;
  const most = Math.max(...(real ?? []), ...synthetic, 1e-9);
  const step = WIDTH / axis.bins;
  const top = (value: number) => HEIGHT - (value / most) * (HEIGHT - TOP);
  const outline = synthetic.map((value, at) => `${at === 0 ? 'M' : 'L'}${at * step} ${top(value)}H${(at + 1) * step}`);
  const overlap = overlapOf(column);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`}
      role="img"
      aria-label={overlap === null ? name : `${name}: ${percent(overlap)} of the two distributions overlap`}
    >
      <line x1={0} x2={WIDTH} y1={TOP} y2={TOP} class="faint" />
      <text x={0} y={TOP - 3}>
        {share(most)} of rows
      </text>
      {real?.map((value, at) => (
        <rect key={at} class="real" x={at * step + 0.5} y={top(value)} width={step - 1} height={HEIGHT - top(value)} />
      ))}
      <path class="made" d={outline.join('')} />
      <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      {ticksThatFit(axis, WIDTH, CHARACTER).map(({ at, text }) => (
        <text key={at} x={at * step} y={HEIGHT + 14} text-anchor={anchorOf(at / axis.bins)}>
          {clip(text, 16)}
        </text>
      ))}
    </svg>
  );
}

const anchorOf = (place: number): string => (place < 0.04 ? 'start' : place > 0.96 ? 'end' : 'middle');

function Levels({ axis, column: { real, synthetic } }: Drawn) {
  const most = Math.max(...(real ?? []), ...synthetic, 1e-9);
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
        {axis.ticks.map(({ text }, at) => {
          const [own, made] = [real?.[at] ?? null, synthetic[at] ?? 0];
          return (
            <tr key={at}>
              <th scope="row">{clip(text, 24)}</th>
              <td>
                <svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="real" x={0} y={1} width={((own ?? 0) / most) * 100} height={6} />
                  <rect class="made" x={0} y={8} width={(made / most) * 100} height={5} />
                </svg>
              </td>
              <td class="small">
                {share(own)}, {percent(made)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
