/** The metrics, each beside that of held-out real rows. */
import { useId } from 'preact/hooks';
import type { JobMetrics, NumericMetrics } from '../../packages/contract/metrics.ts';
import type { Judgement } from '../../packages/contract/verdicts.ts';
import { decimal, familyName, interval } from '../../packages/words/format.ts';
import { AREAS, GRADES, METRICS } from '../../packages/words/report.ts';
import { counted } from '../../packages/words/wording.ts';
import { type NamedFigure, namedFigures, toneOf, worstTone } from '../logic/verdict.ts';
import { useHeadingFocus } from './useHeadingFocus.ts';

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

// What the figures come to: the report's judgements where the service has a report, else the page's own reading.

const NOT_JUDGED = 'This job is from a version that made no verdicts. The metrics are below.';

export function VerdictPanel({ metrics }: { metrics: JobMetrics }) {
  const heading = useHeadingFocus();
  const title = useId();
  const verdicts = metrics.verdicts ?? [];
  return (
    <section class={`card verdict ${worstTone(verdicts)}`} aria-labelledby={title}>
      <h2 id={title} ref={heading} tabIndex={-1}>
        Your table is ready
      </h2>
      <p>
        {counted(metrics.rows_generated, 'row')}, {counted(metrics.columns.length, 'column')}.
      </p>
      {metrics.verdicts ? <Judgements judgements={verdicts} /> : <p>{NOT_JUDGED}</p>}
      {metrics.measured_on && <p class="soft">{metrics.measured_on.summary}</p>}
    </section>
  );
}

function Sentences({ of }: { of: readonly string[] }) {
  return (
    <ul>
      {of.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function Judgements({ judgements }: { judgements: readonly Judgement[] }) {
  return (
    <ul class="judgements" aria-label="Verdict">
      {judgements.map((judgement) => (
        <li key={judgement.area}>
          <h3>
            <span class="area">{AREAS[judgement.area]}</span>{' '}
            <span class={`grade ${toneOf(judgement)}`}>{GRADES[judgement.grade]}</span>
          </h3>
          <p>{judgement.headline}</p>
          {judgement.next.map(({ text }) => (
            <p key={text}>{text}</p>
          ))}
          <details>
            <summary>
              Details<span class="hidden">: {AREAS[judgement.area]}</span>
            </summary>
            <Sentences of={judgement.sentences} />
          </details>
        </li>
      ))}
    </ul>
  );
}

/** Empty until they are there, and where there are none. */
