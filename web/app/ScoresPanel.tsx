import { useId, useMemo, useState } from 'preact/hooks';
import type { ReportData } from '../../packages/contract/report.ts';
import {
  associationCells,
  type Cell,
  chanceOf,
  largestGaps,
  type Score,
  scoresOf,
} from '../../packages/contract/reportScores.ts';
import { clip, decimal, share } from '../../packages/words/format.ts';
import { distanceWords, MEASURES } from '../../packages/words/report.ts';
import { counted, withCommas } from '../../packages/words/wording.ts';
import { type ScoreKey, sortScores } from '../logic/compare.ts';

const HEADS: readonly [ScoreKey, string][] = [
  ['name', 'Column'],
  ['overlap', 'Overlap'],
  ['chance', 'Of real samples'],
  ['distance', 'Distance'],
  ['missing_real', 'Missing, real'],
  ['missing_synthetic', 'Missing, synthetic'],
  ['associations', 'Associations differ by'],
];

export function ScoresPanel({ report }: { report: ReportData }) {
  const id = useId();
  const [key, setKey] = useState<ScoreKey>('overlap');
  const [isReversed, setReversed] = useState(false);
  const scores = useMemo(() => scoresOf(report), [report]);
  const sorted = useMemo(() => sortScores(scores, key, { isReversed }), [scores, key, isReversed]);
  const choose = (chosen: ScoreKey) => {
    setReversed(chosen === key && !isReversed);
    setKey(chosen);
  };
  const compared = report.metrics.fidelity?.one_way.rows;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Scores by column</h2>
      <p class="soft small">
        Overlap is the share that both distributions have in common: {counted(report.rows.real, 'real row')},{' '}
        {withCommas(report.rows.synthetic)} synthetic. For comparison: the overlap of two random samples of the real
        data.
        {compared !== undefined &&
          ` ${distanceWords(
            compared,
            scores.map(({ distance }) => distance),
          )}`}
        {report.columns_left_out > 0 && ` ${counted(report.columns_left_out, 'column')} not listed.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="Scores of all columns">
        <table class="scores">
          <thead>
            <tr>
              {HEADS.map(([name, title]) => (
                <th key={name} scope="col" aria-sort={name === key ? orderOf(name, isReversed) : 'none'}>
                  <button type="button" class="quiet" onClick={() => choose(name)}>
                    {title}
                    {name === key && <span aria-hidden="true">{isReversed ? ' ▲' : ' ▼'}</span>}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map((score) => (
              <ScoreRow key={score.name} {...score} />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

/** Small overlaps and large distances are worse. */
const orderOf = (key: ScoreKey, isReversed: boolean): 'ascending' | 'descending' =>
  (key === 'name' || key === 'overlap' || key === 'chance') !== isReversed ? 'ascending' : 'descending';

function ScoreRow({ name, overlap, chance, distance, missing_real, missing_synthetic, associations }: Score) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{share(overlap)}</td>
      <td>{share(chance)}</td>
      <td>{decimal(distance)}</td>
      <td>{share(missing_real)}</td>
      <td>{share(missing_synthetic)}</td>
      <td>{decimal(associations)}</td>
    </tr>
  );
}

const NAMED_PAIRS = 12;

export function AssociationsPanel({ report: { associations } }: { report: ReportData }) {
  const id = useId();
  const cells = useMemo(() => associationCells(associations), [associations]);
  if (cells.length === 0) return null;
  const { rows, differences, columns } = associations;
  const all = differences?.columns.length ?? columns.length;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Correlations: synthetic minus real</h2>
      <p class="soft small">
        Spearman’s correlation of two numbers, correlation ratio of a number and a category, Cramér’s V of two
        categories.
        {differences && ` Mean size over ${counted(differences.pairs, 'pair')}: ${decimal(differences.mean)}.`}
        {rows &&
          ` ${counted(rows.real, 'real row')}, ${withCommas(rows.synthetic)} synthetic: chance alone moves a weak correlation by up to ${decimal(chanceOf(rows))}.`}
        {all > columns.length &&
          ` The matrix has the ${counted(columns.length, 'column')} that differ most, of ${withCommas(all)}.`}
      </p>
      <Matrix names={columns} cells={cells} />
      <h3>Largest differences</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="Largest differences of associations">
        <table>
          <thead>
            <tr>
              <th scope="col">Columns</th>
              <th scope="col">Real</th>
              <th scope="col">Synthetic</th>
              <th scope="col">Measure</th>
            </tr>
          </thead>
          <tbody>
            {largestGaps(associations, NAMED_PAIRS).map(({ columns: [a, b], real, synthetic, measure }) => (
              <tr key={`${a} ${b}`}>
                <th scope="row">
                  {a}, {b}
                </th>
                <td>{decimal(real)}</td>
                <td>{decimal(synthetic)}</td>
                <td>{MEASURES[measure]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

/** Maximum columns for numbers in cells. */
const NUMBERED = 16;
const LABEL = 130;
/** Keeps small differences pale. */
const MIN_SCALE = 0.1;

function Matrix({ names, cells }: { names: readonly string[]; cells: readonly Cell[] }) {
  const hasNumbers = names.length <= NUMBERED;
  const size = hasNumbers ? 36 : 15;
  const most = Math.max(MIN_SCALE, ...cells.map(({ difference }) => Math.abs(difference)));
  const [width, height] = [names.length * size + LABEL, names.length * size];
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll whole" tabIndex={0} aria-label="Matrix of differences">
        <svg
          class="matrix"
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={`Differences of associations between ${counted(names.length, 'column')}, the largest ${decimal(most)}; the table below names the largest`}
        >
          {cells.map((cell) => (
            <MatrixCell
              key={`${cell.row} ${cell.column}`}
              cell={cell}
              size={size}
              strength={Math.abs(cell.difference) / most}
              hasNumber={hasNumbers}
            />
          ))}
          {names.map((name, at) => (
            <text key={name} x={at * size + 5} y={(at + 0.5) * size} dominant-baseline="central">
              {clip(name, 18)}
            </text>
          ))}
        </svg>
      </section>
      <p class="soft small legend">
        Scale: <span class="key less" aria-hidden="true" /> −{decimal(most)} to{' '}
        <span class="key more" aria-hidden="true" /> +{decimal(most)}
      </p>
    </>
  );
}

interface CellLook {
  cell: Cell;
  size: number;
  strength: number;
  hasNumber: boolean;
}

function MatrixCell({ cell, size, strength, hasNumber }: CellLook) {
  const { row, column, difference, columns, real, synthetic, measure } = cell;
  const sign = difference < 0 ? '−' : '+';
  const number = Math.abs(difference) < 0.005 ? '0' : `${sign}${Math.abs(difference).toFixed(2).replace('0.', '.')}`;
  const text = hasNumber ? number : strength > 0.5 ? sign : '';
  return (
    <g>
      <rect
        class={difference < 0 ? 'less' : 'more'}
        x={column * size + 0.5}
        y={row * size + 0.5}
        width={size - 1}
        height={size - 1}
        fill-opacity={0.04 + 0.66 * strength}
      />
      {text && (
        <text x={(column + 0.5) * size} y={(row + 0.5) * size} text-anchor="middle" dominant-baseline="central">
          {text}
        </text>
      )}
      <title>
        {`${columns[0]}, ${columns[1]}: ${decimal(real)} real, ${decimal(synthetic)} synthetic (${MEASURES[measure]})`}
      </title>
    </g>
  );
}
