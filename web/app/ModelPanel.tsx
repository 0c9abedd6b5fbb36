import { useId } from 'preact/hooks';
import type { JobMetrics } from '../../packages/contract/metrics.ts';
import type { JobRegression } from '../../packages/contract/regressionMetrics.ts';
import { decimal, familyName, share } from '../../packages/words/format.ts';
import { looText, SHRINKAGE_NOTE, targetNumbers } from '../../packages/words/report.ts';
import { counted, withCommas } from '../../packages/words/wording.ts';

const WORDS = {
  made: { title: 'How it was made', again: 'the same file, roles and options give the same table again.' },
  judged: { title: 'How it was checked', again: 'the same files, roles and seed give the same figures again.' },
} as const;

interface Props {
  metrics: JobMetrics;
  log: readonly string[];
  result: keyof typeof WORDS;
}

export function ModelPanel({ metrics, log, result }: Props) {
  const id = useId();
  const { regression, notes, seed, version } = metrics;
  const { title, again } = WORDS[result];
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p>
        Seed <code>{seed}</code>, version <code>{version}</code>: {again}
      </p>
      {regression && <Regression {...regression} />}
      {notes.length > 0 && (
        <details>
          <summary>{counted(notes.length, 'note')}</summary>
          <ul>
            {notes.map((note, at) => (
              <li key={at}>{note}</li>
            ))}
          </ul>
        </details>
      )}
      <details>
        <summary>Full log, {counted(log.length, 'line')}</summary>
        <ol class="lines">
          {log.map((line, at) => (
            <li key={at}>{line}</li>
          ))}
        </ol>
      </details>
    </section>
  );
}

function Regression(model: JobRegression) {
  const facts: [string, string][] = [
    ['Family', familyName(model.family)],
    ['Rows', withCommas(model.rows)],
    [model.label ? 'Synthetic labels' : 'Synthetic numbers', targetNumbers(model)],
    ['Largest R-hat', decimal(model.worst_r_hat)],
    [
      'Smallest effective sample size',
      model.least_bulk_ess === null ? '–' : withCommas(Math.round(model.least_bulk_ess)),
    ],
    ['Divergences', withCommas(model.divergences)],
    ['Log predictive density by PSIS-LOO', looText(model)],
    ['Coefficients', withCommas(model.parameters)],
    ...calibrationFacts(model),
  ];
  return (
    <>
      <h3>Model of "{model.target}"</h3>
      <p class={model.converged ? '' : 'fault'}>{model.summary}</p>
      {model.family_choice && <p class="soft">{model.family_choice.reason}</p>}
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {model.coefficients.length > 0 && <Coefficients rows={model.coefficients} />}
    </>
  );
}

function calibrationFacts({ label }: JobRegression): [string, string][] {
  if (!label?.calibration) return [];
  const { error, error_by_chance, accuracy } = label.calibration;
  return [
    ['Mean error of probabilities', `${share(error)} (${share(error_by_chance)} by chance)`],
    ['Most probable label is right', share(accuracy)],
  ];
}

function Coefficients({ rows }: { rows: JobRegression['coefficients'] }) {
  return (
    <details>
      <summary>{counted(rows.length, 'coefficient')} with 90 % intervals</summary>
      <p class="soft">{SHRINKAGE_NOTE}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="Coefficients">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Mean</th>
              <th scope="col">90 % interval</th>
              <th scope="col">Prior</th>
              <th scope="col">R-hat</th>
              <th scope="col">ESS, bulk and tail</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, mean, q05, q95, prior, r_hat, bulk_ess, tail_ess }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{decimal(mean)}</td>
                <td>
                  {decimal(q05)} – {decimal(q95)}
                </td>
                <td>{prior}</td>
                <td>{decimal(r_hat)}</td>
                <td>
                  {decimal(bulk_ess)}, {decimal(tail_ess)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
