/** A running job: stages, bar, elapsed time, what it says. */
import { useEffect, useId, useState } from 'preact/hooks';
import type { StatusReply } from '../../domain/schema/replies.ts';
import { STAGES, standingOf } from '../logic/stages.ts';
import { duration } from '../logic/words.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { Problem } from './Problem.tsx';
import { useHeadingFocus } from './useHeadingFocus.ts';

interface Props {
  api: Api;
  id: string;
  status: StatusReply;
  /** Why the latest question was not answered. */
  error: ApiError | undefined;
  onCancelled(): void;
}

export function ProgressPanel({ api, id, status, error, onCancelled }: Props) {
  const heading = useHeadingFocus();
  const elapsed = useElapsed(api, id);
  const [refusal, setRefusal] = useState<ApiError>();
  const [isStopping, setStopping] = useState(false);
  const title = useId();
  const standing = standingOf(status.status, status.progress);
  const at = STAGES.indexOf(standing.stage);
  const cancel = async () => {
    setStopping(true);
    try {
      await api.cancel(id);
      onCancelled();
    } catch (caught) {
      setRefusal(asApiError(caught));
      setStopping(false);
    }
  };
  return (
    <section class="card" aria-labelledby={title}>
      <h2 id={title} ref={heading} tabIndex={-1}>
        Making your table
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
      <progress class="wide" aria-label="The whole job" max={1} value={standing.share} />
      <div class="line">
        <span class="big">{Math.round(standing.share * 100)} %</span>
        <span role="timer">{elapsed === undefined ? '' : `${duration(elapsed)} since the start`}</span>
        <button type="button" onClick={cancel} disabled={isStopping}>
          {isStopping ? 'Stopping…' : 'Cancel the job'}
        </button>
      </div>
      <p class="latest" aria-live="polite">
        {standing.stage}
        <span aria-hidden="true">: {standing.line}</span>
      </p>
      <Problem error={refusal ?? error} />
      <details>
        <summary>All that it has said</summary>
        <ol class="lines">
          {status.progress.map((line, place) => (
            <li key={place}>{line}</li>
          ))}
        </ol>
      </details>
      <p class="soft">You may close or reload this page: the job goes on, and this address finds it again.</p>
    </section>
  );
}

/** Milliseconds since the service started the job, by the visitor's clock; undefined until the start is known. */
function useElapsed(api: Api, id: string): number | undefined {
  const [start, setStart] = useState<number>();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const opened = Date.now();
    api
      .jobs(undefined, 100)
      .then(({ jobs }) => jobs.find(({ job_id }) => job_id === id)?.started_at ?? null)
      .then((found) => setStart(found === null ? opened : Math.min(opened, Date.parse(found))))
      .catch(() => setStart(opened));
  }, [api, id]);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return start === undefined ? undefined : Math.max(0, now - start);
}
