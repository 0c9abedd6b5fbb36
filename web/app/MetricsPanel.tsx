import { useId } from 'preact/hooks';
import type { JobMetrics, NumericMetrics } from '../../packages/contract/metrics.ts';
import { FIGURE_HEAD, figureCells, keyFigures, type NamedFigure, namedFigures } from '../../packages/words/figures.ts';
import { decimal, familyName } from '../../packages/words/format.ts';
import { METRICS, OVER_ALL_ROWS } from '../../packages/words/report.ts';
import { counted } from '../../packages/words/wording.ts';

type Numeric = Exclude<keyof NumericMetrics, 'family'>;

const isNumeric = (key: string): key is Numeric => key in METRICS && key !== 'family';

export function MetricsPanel({ metrics }: { metrics: JobMetrics }) {
  const id = useId();
  const figures = namedFigures(metrics);
  const key = keyFigures(metrics);
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Metrics</h2>
      {!metrics.holdout && (
        <p class="soft">
          These metrics compare the synthetic rows with all of your rows: there were too few to hold some out as a
          baseline.
        </p>
      )}
      {key.length > 0 ? <Figures figures={key} label="Key figures" /> : <ApiFigures metrics={metrics} />}
      {figures.length > 0 && (
        <details>
          <summary>{counted(figures.length, 'metric')} with intervals and baselines</summary>
          <Figures figures={figures} label="All metrics" isWhole />
        </details>
      )}
      {key.length > 0 && (
        <details>
          <summary>Raw API metrics</summary>
          <p class="soft">{OVER_ALL_ROWS}</p>
          <ApiFigures metrics={metrics} />
        </details>
      )}
    </section>
  );
}

function ApiFigures({ metrics: { numeric } }: { metrics: JobMetrics }) {
  return (
    <dl class="metrics">
      {Object.keys(METRICS)
        .filter(isNumeric)
        .map((key) => (
          <div key={key}>
            <dt>
              {METRICS[key].title} <span class="soft small">{key}</span>
            </dt>
            <dd class="big">{decimal(numeric[key])}</dd>
            <dd class="soft small">{METRICS[key].meaning}</dd>
          </div>
        ))}
      {numeric.family !== null && (
        <div>
          <dt>
            {METRICS.family.title} <span class="soft small">family</span>
          </dt>
          <dd class="big">{familyName(numeric.family)}</dd>
          <dd class="soft small">{METRICS.family.meaning}</dd>
        </div>
      )}
    </dl>
  );
}

interface FiguresProps {
  figures: readonly NamedFigure[];
  label: string;
  /** Includes independent columns. */
  isWhole?: boolean;
}

function Figures({ figures, label, isWhole = false }: FiguresProps) {
  const head = [...FIGURE_HEAD, ...(isWhole ? ['independent columns'] : [])];
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll" tabIndex={0} aria-label={label}>
        <table>
          <thead>
            <tr>
              {head.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures.map((named) => {
              const [name, ...cells] = figureCells(named);
              const all = [...cells, ...(isWhole ? [decimal(named.figure.independent)] : [])];
              return (
                <tr key={`${named.group} ${name}`}>
                  <th scope="row">
                    {named.group}: {name}
                  </th>
                  {all.map((cell, at) => (
                    <td key={head[at + 1]}>{cell}</td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </>
  );
}
