/** The figures in words, each beside that of real rows that no model saw. */
import { useId } from 'preact/hooks';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import { familyWords } from '../logic/familyWords.ts';
import { METRIC_WORDS } from '../logic/metricWords.ts';
import { type NamedFigure, namedFigures } from '../logic/verdict.ts';
import { counted, figure } from '../logic/words.ts';

export function MetricsPanel({ metrics }: { metrics: JobMetrics }) {
  const id = useId();
  const { numeric, holdout } = metrics;
  const figures = namedFigures(metrics);
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Figures</h2>
      {!holdout && (
        <p class="soft">
          These figures compare the synthetic rows with all of yours: there were too few to keep some apart as a
          yardstick.
        </p>
      )}
      <dl class="metrics">
        {METRIC_WORDS.map(({ key, title, meaning }) => (
          <div key={key}>
            <dt>
              {title} <span class="soft small">{key}</span>
            </dt>
            <dd class="big">{figure(numeric[key])}</dd>
            {holdout && <dd class="small">real rows kept apart: {figure(holdout[key])}</dd>}
            <dd class="soft small">{meaning}</dd>
          </div>
        ))}
        {numeric.family !== null && (
          <div>
            <dt>
              Family of the target <span class="soft small">family</span>
            </dt>
            <dd class="big">{familyWords(numeric.family)}</dd>
            <dd class="soft small">The kind of distribution that the target was given.</dd>
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
      <summary>All {counted(figures.length, 'figure')}, with intervals and yardsticks</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="All figures">
        <table>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col">Value</th>
              <th scope="col">95 % interval</th>
              <th scope="col">Real rows kept apart</th>
              <th scope="col">Independent columns</th>
              <th scope="col">Against real rows</th>
            </tr>
          </thead>
          <tbody>
            {figures.map(({ group, name, figure: found }) => (
              <tr key={`${group} ${name}`}>
                <th scope="row">
                  {group}: {name}
                </th>
                <td>{found.value === null ? (found.reason ?? '–') : figure(found.value)}</td>
                <td>{found.low === null ? '–' : `${figure(found.low)} – ${figure(found.high)}`}</td>
                <td>{figure(found.holdout)}</td>
                <td>{figure(found.independent)}</td>
                <td>{found.verdict ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
