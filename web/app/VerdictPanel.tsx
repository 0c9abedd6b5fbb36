/** What the figures come to: the report's judgements where the service has a report, else the page's own reading. */
import { useEffect, useId, useState } from 'preact/hooks';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import { type Judgement, judgementsIn, toneOf, worstTone } from '../logic/judgements.ts';
import { verdictOf } from '../logic/verdict.ts';
import { counted } from '../logic/words.ts';
import type { Api } from './api.ts';
import { useHeadingFocus } from './useHeadingFocus.ts';

interface Props {
  api: Api;
  id: string;
  metrics: JobMetrics;
  hasReport: boolean;
}

export function VerdictPanel({ api, id, metrics, hasReport }: Props) {
  const heading = useHeadingFocus();
  const title = useId();
  const judgements = useJudgements(api, id, hasReport);
  const own = verdictOf(metrics);
  const isJudged = judgements.length > 0;
  return (
    <section class={`card verdict ${isJudged ? worstTone(judgements) : own.tone}`} aria-labelledby={title}>
      <h2 id={title} ref={heading} tabIndex={-1}>
        {isJudged ? 'Your table is ready' : own.title}
      </h2>
      <p>
        {counted(metrics.rows_generated, 'row')} of {counted(metrics.columns.length, 'column')} were made.
      </p>
      {isJudged ? <Judgements judgements={judgements} /> : <Sentences of={own.sentences} />}
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
            <span class="area">{judgement.area}</span>{' '}
            <span class={`grade ${toneOf(judgement)}`}>{judgement.grade}</span>
          </h3>
          <p>{judgement.headline}</p>
          <details>
            <summary>
              Why<span class="hidden">: {judgement.area}</span>
            </summary>
            <Sentences of={judgement.sentences} />
          </details>
        </li>
      ))}
    </ul>
  );
}

/** Empty until they are there, and where there are none. */
function useJudgements(api: Api, id: string, hasReport: boolean): readonly Judgement[] {
  const [judgements, setJudgements] = useState<readonly Judgement[]>([]);
  useEffect(() => {
    if (!hasReport) return;
    // Without them the page has its own reading of the same figures.
    api.report(id).then(
      (report) => setJudgements(judgementsIn(report)),
      () => undefined,
    );
  }, [api, id, hasReport]);
  return judgements;
}
