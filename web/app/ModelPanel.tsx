/** How the table was made: the target's model, notes, seed and version. */
import { useId } from 'preact/hooks';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import type { JobRegression } from '../../domain/schema/regressionMetrics.ts';
import { familyWords } from '../logic/familyWords.ts';
import { counted, figure, whole } from '../logic/words.ts';

export function ModelPanel({ metrics, progress }: { metrics: JobMetrics; progress: readonly string[] }) {
  const id = useId();
  const { regression, notes, seed, version } = metrics;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>How it was made</h2>
      <p>
        Seed <code>{seed}</code>, version <code>{version}</code>: with the same file, roles and options they give the
        same table again.
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
        <summary>{counted(progress.length, 'line')} of progress</summary>
        <ol class="lines">
          {progress.map((line, at) => (
            <li key={at}>{line}</li>
          ))}
        </ol>
      </details>
    </section>
  );
}

function Regression(model: JobRegression) {
  const facts: [string, string][] = [
    ['Family', familyWords(model.family)],
    ['Rows', whole(model.rows)],
    ['R-hat, worst', figure(model.worst_r_hat)],
    ['Effective draws, least', model.least_bulk_ess === null ? '–' : whole(model.least_bulk_ess)],
    ['Divergences', whole(model.divergences)],
    ['Coefficients', whole(model.parameters)],
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

function Coefficients({ rows }: { rows: JobRegression['coefficients'] }) {
  return (
    <details>
      <summary>{counted(rows.length, 'coefficient')} with 90 % intervals</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="Coefficients">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Mean</th>
              <th scope="col">90 % interval</th>
              <th scope="col">Prior</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, mean, q05, q95, prior }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{figure(mean)}</td>
                <td>
                  {figure(q05)} – {figure(q95)}
                </td>
                <td>{prior}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
