/** A running job: stages, bar, elapsed time, log. */

import { useEffect, useId, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import { logLines } from '../../packages/words/events.ts';
import { duration } from '../../packages/words/format.ts';
import { STAGES, standingOf } from '../logic/stages.ts';
import { Problem } from './Problem.tsx';
import { type PageProblem, problemOf } from './service.ts';
import { useHeadingFocus } from './useHeadingFocus.ts';

interface Props {
  service: SyntheticTables;
  id: string;
  status: StatusReply;
  /** Why the latest question was not answered. */
  error: PageProblem | undefined;
  onCancelled(): void;
}

export function ProgressPanel({ service, id, status, error, onCancelled }: Props) {
  const heading = useHeadingFocus();
  const elapsed = useElapsed(service, id);
  const [refusal, setRefusal] = useState<PageProblem>();
  const [isStopping, setStopping] = useState(false);
  const title = useId();
  const standing = standingOf(status.status, status.events);
  const lines = logLines(status, 'page');
  const at = STAGES.indexOf(standing.stage);
  const cancel = async () => {
    setStopping(true);
    try {
      await service.cancel(id);
      onCancelled();
    } catch (caught) {
      setRefusal(problemOf(caught));
      setStopping(false);
    }
  };
  return (
    <section class="card" aria-labelledby={title}>
      <h2 id={title} ref={heading} tabIndex={-1}>
        Generating your table
      </h2>
      <ol class="stages" aria-label="Stages">
        {STAGES.map((stage, place) => (
          <li
            key={stage}
            class={place < at ? 'over' : place === at ? 'now' : ''}
            aria-current={place === at ? 'step' : undefined}
          >
            {stage}
            {place < at && <span class="hidden"> (finished)</span>}
          </li>
        ))}
      </ol>
      <progress class="wide" aria-label="Progress of the job" max={1} value={standing.share} />
      <div class="line">
        <span class="big">{Math.round(standing.share * 100)} %</span>
        <span role="timer">{elapsed === undefined ? '' : `${duration(elapsed)} elapsed`}</span>
        <button type="button" onClick={cancel} disabled={isStopping}>
          {isStopping ? 'Stopping…' : 'Cancel job'}
        </button>
      </div>
      <p class="latest" aria-live="polite">
        {standing.stage}
        <span aria-hidden="true">: {lines.at(-1) ?? 'starting…'}</span>
      </p>
      <Problem error={refusal ?? error} />
      <details>
        <summary>Full log</summary>
        <ol class="lines">
          {lines.map((line, place) => (
            <li key={place}>{line}</li>
          ))}
        </ol>
      </details>
      <p class="soft">
        You can close or reload this page: the job keeps running, and this address brings you back to it.
      </p>
    </section>
  );
}

/** Milliseconds since the service started the job, by the visitor's clock; undefined until the start is known. */
function useElapsed(service: SyntheticTables, id: string): number | undefined {
  const [start, setStart] = useState<number>();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const opened = Date.now();
    service
      .jobs({ limit: 100 })
      .then(({ jobs }) => jobs.find(({ job_id }) => job_id === id)?.started_at ?? null)
      .then((found) => setStart(found === null ? opened : Math.min(opened, Date.parse(found))))
      .catch(() => setStart(opened));
  }, [service, id]);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return start === undefined ? undefined : Math.max(0, now - start);
}
