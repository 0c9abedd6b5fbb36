/** What the figures of a finished job come to. */
import { useId } from 'preact/hooks';
import type { JobMetrics } from '../../packages/contract/metrics.ts';
import type { Judgement } from '../../packages/contract/verdicts.ts';
import { AREAS, GRADES } from '../../packages/words/report.ts';
import { counted } from '../../packages/words/wording.ts';
import { toneOf, worstTone } from '../logic/verdict.ts';
import { useHeadingFocus } from './useHeadingFocus.ts';

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
