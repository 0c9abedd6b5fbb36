import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { JobMetrics } from '../../packages/contract/metrics.ts';
import type { Judgement, NextStep } from '../../packages/contract/verdicts.ts';
import { AREAS, GRADES } from '../../packages/words/report.ts';
import { counted } from '../../packages/words/wording.ts';
import { stepWords } from '../logic/again.ts';
import { canDo } from '../logic/route.ts';
import { toneOf, worstTone } from '../logic/verdict.ts';
import { ViewHeading } from './ViewHeading.tsx';

const NOT_JUDGED = 'This job is from a version that made no verdicts. The metrics are below.';

interface Props {
  metrics: JobMetrics;
  table: string | undefined;
  words: { view: string; title: string; about: string | undefined };
  /** Undefined if the job cannot be set up again. */
  onStep: ((step: NextStep) => void) | undefined;
  children: ComponentChildren;
}

export function VerdictPanel({ metrics, table, words, onStep, children }: Props) {
  const title = useId();
  const verdicts = metrics.verdicts ?? [];
  return (
    <section class={`card verdict ${worstTone(verdicts)}`} aria-labelledby={title}>
      <ViewHeading id={title} view={words.view} table={table}>
        {words.title}
      </ViewHeading>
      <p class="breaks">
        {words.about !== undefined && `${words.about}: `}
        {counted(metrics.rows_generated, 'row')}, {counted(metrics.columns.length, 'column')}.
      </p>
      {metrics.verdicts ? <Judgements judgements={verdicts} onStep={onStep} /> : <p>{NOT_JUDGED}</p>}
      {children}
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

function Judgements({ judgements, onStep }: { judgements: readonly Judgement[]; onStep: Props['onStep'] }) {
  return (
    <ul class="judgements" aria-label="Verdict">
      {judgements.map((judgement) => (
        <li key={judgement.area}>
          <h2>
            <span class="area">{AREAS[judgement.area]}</span>{' '}
            <span class={`grade ${toneOf(judgement)}`}>{GRADES[judgement.grade]}</span>
          </h2>
          <p>{judgement.headline}</p>
          {judgement.next.map((step) => (
            <p key={step.text}>
              {step.text}{' '}
              {onStep && canDo(step.action) && (
                <button type="button" onClick={() => onStep(step)}>
                  {stepWords(step.action, step.column)}
                </button>
              )}
            </p>
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
