/** The metrics, each beside that of held-out real rows. */
import { useId } from 'preact/hooks';
import type { JobMetrics, NumericMetrics } from '../../packages/contract/metrics.ts';
import { decimal, familyName, interval } from '../../packages/words/format.ts';
import { METRICS } from '../../packages/words/report.ts';
import { counted } from '../../packages/words/wording.ts';
import { type NamedFigure, namedFigures } from '../logic/verdict.ts';

type Numeric = Exclude<keyof NumericMetrics, 'family'>;

const isNumeric = (key: string): key is Numeric => key in METRICS && key !== 'family';

export function MetricsPanel({ metrics }: { metrics: JobMetrics }) {
  const id = useId();
  const { numeric, holdout } = metrics;
  const figures = namedFigures(metrics);
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Metrics</h2>
      {!holdout && (
        <p class="soft">
          These metrics compare the synthetic rows with all of your rows: there were too few to hold some out as a
          baseline.
        </p>
      )}
      <dl class="metrics">
        {Object.keys(METRICS)
          .filter(isNumeric)
          .map((key) => (
            <div key={key}>
              <dt>
                {METRICS[key].title} <span class="soft small">{key}</span>
              </dt>
              <dd class="big">{decimal(numeric[key])}</dd>
              {holdout && <dd class="small">held-out real rows: {decimal(holdout[key])}</dd>}
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
      {figures.length > 0 && <AllFigures figures={figures} />}
    </section>
  );
}

function AllFigures({ figures }: { figures: readonly NamedFigure[] }) {
  return (
    <details>
      <summary>{counted(figures.length, 'metric')} with intervals and baselines</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="All metrics">
        <table>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col">Value</th>
              <th scope="col">95 % interval</th>
              <th scope="col">Held-out real rows</th>
              <th scope="col">Independent columns</th>
              <th scope="col">Compared with held-out rows</th>
            </tr>
          </thead>
          <tbody>
            {figures.map(({ group, name, figure: found }) => (
              <tr key={`${group} ${name}`}>
                <th scope="row">
                  {group}: {name}
                </th>
                <td>{found.value === null ? (found.reason ?? '–') : decimal(found.value)}</td>
                <td>{interval(found.low, found.high)}</td>
                <td>{decimal(found.holdout)}</td>
                <td>{decimal(found.independent)}</td>
                <td>{found.verdict ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
